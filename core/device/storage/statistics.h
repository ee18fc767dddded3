#pragma once

#include <c10/core/Allocator.h>

#include <cstdint>

#include "core/device/storage/peak_counter.h"

namespace runahead::device {

/// A count in the form of LibTorch's statistics.
[[nodiscard]] inline c10::CachingAllocator::Stat stat_of(std::uint64_t current, std::uint64_t peak,
                                                         std::uint64_t allocated) {
  c10::CachingAllocator::Stat stat;
  stat.current = static_cast<std::int64_t>(current);
  stat.peak = static_cast<std::int64_t>(peak);
  stat.allocated = static_cast<std::int64_t>(allocated);
  stat.freed = stat.allocated - stat.current;
  return stat;
}

[[nodiscard]] inline c10::CachingAllocator::Stat stat_of(const PeakCounter& counter) {
  return stat_of(counter.current(), counter.peak(), counter.added());
}

}  // namespace runahead::device
