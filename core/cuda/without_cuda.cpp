// For a LibTorch built without CUDA: there are no devices, and no figures of them.
#include "core/base/error.h"
#include "core/cuda/active_allocator.h"
#include "core/cuda/availability.h"
#include "core/cuda/cuda_memory.h"
#include "core/cuda/device_hold.h"
#include "core/cuda/pinned.h"

namespace runahead::cuda {
namespace {

constexpr const char* kProblem =
    "this LibTorch was built without CUDA; set RUNAHEAD_LIBTORCH to one that has it and build "
    "again";

}  // namespace

Availability availability() { return {.problem = kProblem}; }

std::optional<std::string> device_name(int) { return std::nullopt; }

Json probe_availability(int) {
  return {{"cuda_memory", false},
          {"allocator", false},
          {"pinned_memory", false},
          {"pool", false},
          {"nvml", false}};
}

Json describe_devices() { return Json::array(); }

std::optional<std::string> active_allocator() { return std::nullopt; }

bool is_native_allocator() noexcept { return false; }

std::unique_ptr<train::DeviceMemory> make_device_memory(torch::Device) { return nullptr; }

torch::Tensor make_pinned_like(const torch::Tensor&) { throw UnavailableError(kProblem); }

train::DeviceHold make_device_hold(torch::Device) { throw UnavailableError(kProblem); }

}  // namespace runahead::cuda
