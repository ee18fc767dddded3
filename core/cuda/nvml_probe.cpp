#include "core/cuda/nvml_probe.h"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/cuda/context.h"

namespace runahead::cuda {

std::optional<std::uint64_t> NvmlDevice::process_bytes() const noexcept {
  return library->process_bytes(device, static_cast<std::uint32_t>(getpid()));
}

std::optional<NvmlDevice> find_nvml_device(int device) {
  if (device < 0 || device >= device_count()) return std::nullopt;
  std::array<char, 32> bus_id{};
  if (cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), device) !=
      cudaSuccess) {
    forget_error();
    return std::nullopt;
  }
  NvmlDevice found{.library = Nvml::open()};
  if (found.library == nullptr) return std::nullopt;
  found.device = found.library->find_device(bus_id.data());
  return found.device == nullptr ? std::nullopt : std::optional(std::move(found));
}

NvmlProbe::NvmlProbe(std::optional<NvmlDevice> device, std::shared_ptr<SampledPeak> process_peak)
    : device_(std::move(device)), process_peak_(std::move(process_peak)) {}

void NvmlProbe::read(std::span<memory::Reading> readings) noexcept {
  std::ranges::fill(readings, std::nullopt);
  if (!device_) return;
  readings[0] = device_->process_bytes();
  if (readings[0]) process_peak_->note(*readings[0]);
  readings[1] = device_->library->utilisation_percent(device_->device);
}

}  // namespace runahead::cuda
