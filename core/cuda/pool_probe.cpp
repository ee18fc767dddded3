#include "core/cuda/pool_probe.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>

#include "core/cuda/active_allocator.h"
#include "core/cuda/context.h"

namespace runahead::cuda {
namespace {

std::optional<std::uint64_t> attribute(cudaMemPool_t pool, cudaMemPoolAttr which) noexcept {
  std::uint64_t value = 0;
  if (cudaMemPoolGetAttribute(pool, which, &value) != cudaSuccess) {
    forget_error();
    return std::nullopt;
  }
  return value;
}

std::optional<Peaked> peaked(cudaMemPool_t pool, cudaMemPoolAttr current,
                             cudaMemPoolAttr highest) noexcept {
  const auto now = attribute(pool, current);
  const auto peak = attribute(pool, highest);
  if (!now || !peak) return std::nullopt;
  return Peaked{.current = *now, .peak = *peak};
}

}  // namespace

std::optional<PoolFigures> pool_figures(int device) noexcept {
  if (is_native_allocator()) return std::nullopt;
  const ContextScope context(device);
  if (!context.is_there()) return std::nullopt;
  cudaMemPool_t pool = nullptr;
  if (cudaDeviceGetDefaultMemPool(&pool, device) != cudaSuccess) {
    forget_error();
    return std::nullopt;
  }
  const auto used = peaked(pool, cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh);
  const auto reserved =
      peaked(pool, cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh);
  if (!used || !reserved) return std::nullopt;
  return PoolFigures{.used = *used, .reserved = *reserved};
}

void PoolProbe::read(std::span<memory::Reading> readings) noexcept {
  std::ranges::fill(readings, std::nullopt);
  const std::optional<PoolFigures> figures = pool_figures(device_);
  if (!figures) return;
  readings[0] = figures->used.current;
  readings[1] = figures->reserved.current;
}

}  // namespace runahead::cuda
