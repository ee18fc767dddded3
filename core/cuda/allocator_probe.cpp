#include "core/cuda/allocator_probe.h"

#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>
#include <cstddef>
#include <exception>

#include "core/cuda/active_allocator.h"
#include "core/cuda/context.h"

namespace runahead::cuda {
namespace {

using c10::CachingAllocator::StatArray;
using c10::CachingAllocator::StatType;
using c10::CachingDeviceAllocator::DeviceStats;

Peaked aggregate_of(const StatArray& stats) {
  const auto& all = stats[static_cast<std::size_t>(StatType::AGGREGATE)];
  return {.current = count_of(all.current), .peak = count_of(all.peak)};
}

AllocatorFigures figures_of(const DeviceStats& stats) {
  AllocatorFigures figures{.allocated = aggregate_of(stats.allocated_bytes),
                           .reserved = aggregate_of(stats.reserved_bytes),
                           .active = aggregate_of(stats.active_bytes)};
  if (is_native_allocator()) {
    figures.requested = aggregate_of(stats.requested_bytes);
    figures.alloc_retries = count_of(stats.num_alloc_retries);
    figures.out_of_memories = count_of(stats.num_ooms);
  }
  return figures;
}

}  // namespace

std::optional<AllocatorFigures> allocator_figures(int device) noexcept {
  if (!has_context(device)) return std::nullopt;
  try {
    return figures_of(
        c10::cuda::CUDACachingAllocator::getDeviceStats(static_cast<c10::DeviceIndex>(device)));
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void reset_allocator_figures(int device) {
  if (!has_context(device)) return;
  const auto index = static_cast<c10::DeviceIndex>(device);
  c10::cuda::CUDACachingAllocator::resetPeakStats(index);
  if (is_native_allocator()) c10::cuda::CUDACachingAllocator::resetAccumulatedStats(index);
}

void AllocatorProbe::read(std::span<memory::Reading> readings) noexcept {
  std::ranges::fill(readings, std::nullopt);
  const std::optional<AllocatorFigures> figures = allocator_figures(device_);
  if (!figures) return;
  readings[0] = figures->allocated.current;
  readings[1] = figures->reserved.current;
  readings[2] = figures->active.current;
  if (figures->requested) readings[3] = figures->requested->current;
}

}  // namespace runahead::cuda
