#include "core/cuda/context.h"

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAMacros.h>
#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <exception>

namespace runahead::cuda {

bool succeeded(cudaError_t result) noexcept {
  if (result != cudaSuccess) static_cast<void>(cudaGetLastError());
  return result == cudaSuccess;
}

int device_count() noexcept {
  static const int count = [] {
    int found = 0;
    return succeeded(cudaGetDeviceCount(&found)) ? found : 0;
  }();
  return count;
}

bool has_context(int device) noexcept {
  if (device < 0 || device >= device_count()) return false;
  // A context stays, since nothing here resets a device. The cache spares samples a driver lock.
  static std::array<std::atomic<bool>, C10_COMPILE_TIME_MAX_GPUS> seen{};
  const auto index = static_cast<std::size_t>(device);
  if (index < seen.size() && seen[index].load(std::memory_order_relaxed)) return true;
  try {
    const bool is_there = c10::cuda::hasPrimaryContext(static_cast<c10::DeviceIndex>(device));
    if (is_there && index < seen.size()) seen[index].store(true, std::memory_order_relaxed);
    return is_there;
  } catch (const std::exception&) {
    return false;
  }
}

ContextScope::ContextScope(int device) noexcept {
  if (!has_context(device)) return;
  is_there_ = succeeded(cudaGetDevice(&previous_)) &&
              (previous_ == device || succeeded(cudaSetDevice(device)));
  // Returning to a device without a context would create one there.
  must_return_ = is_there_ && previous_ != device && has_context(previous_);
}

ContextScope::~ContextScope() {
  if (must_return_) succeeded(cudaSetDevice(previous_));
}

}  // namespace runahead::cuda
