#include "core/cuda/cuda_memory_probe.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

#include "core/cuda/context.h"

namespace runahead::cuda {

std::optional<DeviceBytes> device_bytes(int device) noexcept {
  const ContextScope context(device);
  if (!context.is_there()) return std::nullopt;
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) {
    forget_error();
    return std::nullopt;
  }
  return DeviceBytes{.used = total - free, .total = total};
}

CudaMemoryProbe::CudaMemoryProbe(int device, std::shared_ptr<SampledPeak> used_peak)
    : device_(device), used_peak_(std::move(used_peak)) {}

void CudaMemoryProbe::read(std::span<memory::Reading> readings) noexcept {
  readings[0] = std::nullopt;
  const std::optional<DeviceBytes> memory = device_bytes(device_);
  if (!memory) return;
  readings[0] = memory->used;
  used_peak_->note(memory->used);
}

}  // namespace runahead::cuda
