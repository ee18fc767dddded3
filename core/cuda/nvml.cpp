#include "core/cuda/nvml.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <utility>

namespace runahead::cuda {
namespace {

// The parts of the library's interface that are used here, from its documentation.
constexpr int kSuccess = 0;
constexpr unsigned long long kNotAvailable = ~0ULL;
constexpr unsigned int kMostProcesses = 256;

template <typename Function>
bool load(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

struct Nvml::Functions {
  struct ProcessInfo {
    unsigned int process_id;
    unsigned long long used_bytes;
    unsigned int gpu_instance_id;
    unsigned int compute_instance_id;
  };

  struct Utilisation {
    unsigned int gpu_percent;
    unsigned int memory_percent;
  };

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*device_by_pci_bus_id)(const char*, Device*) = nullptr;
  int (*compute_processes)(Device, unsigned int*, ProcessInfo*) = nullptr;
  int (*utilisation)(Device, Utilisation*) = nullptr;

  [[nodiscard]] bool load_from(void* library) {
    // Functions that an older driver lacks stay null.
    load(library, "nvmlDeviceGetComputeRunningProcesses_v3", compute_processes);
    load(library, "nvmlDeviceGetUtilizationRates", utilisation);
    return load(library, "nvmlInit_v2", init) && load(library, "nvmlShutdown", shutdown) &&
           load(library, "nvmlDeviceGetHandleByPciBusId_v2", device_by_pci_bus_id);
  }
};

std::shared_ptr<const Nvml> Nvml::open(const char* library) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  auto functions = std::make_unique<Functions>();
  if (!functions->load_from(handle) || functions->init() != kSuccess) {
    dlclose(handle);
    return nullptr;
  }
  return std::shared_ptr<const Nvml>(new Nvml(handle, std::move(functions)));
}

Nvml::Nvml(void* library, std::unique_ptr<Functions> functions)
    : library_(library), functions_(std::move(functions)) {}

Nvml::~Nvml() {
  functions_->shutdown();
  dlclose(library_);
}

Nvml::Device Nvml::find_device(const std::string& pci_bus_id) const noexcept {
  Device device = nullptr;
  const int result = functions_->device_by_pci_bus_id(pci_bus_id.c_str(), &device);
  return result == kSuccess ? device : nullptr;
}

std::optional<std::uint64_t> Nvml::process_bytes(Device device,
                                                 std::uint32_t process_id) const noexcept {
  if (functions_->compute_processes == nullptr) return std::nullopt;
  std::array<Functions::ProcessInfo, kMostProcesses> processes{};
  unsigned int count = kMostProcesses;
  if (functions_->compute_processes(device, &count, processes.data()) != kSuccess) {
    return std::nullopt;
  }
  std::optional<std::uint64_t> bytes;
  for (std::size_t i = 0; i < count && i < processes.size(); ++i) {
    const Functions::ProcessInfo& process = processes[i];
    if (process.process_id != process_id || process.used_bytes == kNotAvailable) continue;
    bytes = bytes.value_or(0) + process.used_bytes;  // One entry per part of a partitioned GPU.
  }
  return bytes;
}

std::optional<std::uint64_t> Nvml::utilisation_percent(Device device) const noexcept {
  if (functions_->utilisation == nullptr) return std::nullopt;
  Functions::Utilisation utilisation{};
  if (functions_->utilisation(device, &utilisation) != kSuccess) return std::nullopt;
  return utilisation.gpu_percent;
}

}  // namespace runahead::cuda
