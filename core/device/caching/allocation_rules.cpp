#include "core/device/caching/allocation_rules.h"

#include <bit>

namespace runahead::device::caching {

std::uint64_t rounded_bytes(std::uint64_t bytes, const AllocatorSettings& settings) {
  const std::uint64_t divisions = settings.roundup_power2_divisions;
  if (divisions <= 1 || bytes <= kRoundingBytes * divisions) {
    return bytes < kRoundingBytes ? kRoundingBytes : rounded_up(bytes, kRoundingBytes);
  }
  return rounded_up(bytes, std::bit_floor(bytes) / divisions);
}

std::uint64_t segment_bytes(std::uint64_t rounded) {
  if (is_small(rounded)) return kSmallSegmentBytes;
  if (rounded < kLeastOwnSegmentBytes) return kLargeSegmentBytes;
  return rounded_up(rounded, kSegmentRoundingBytes);
}

bool is_split(std::uint64_t chunk_bytes, std::uint64_t rounded, const AllocatorSettings& settings) {
  const std::uint64_t rest = chunk_bytes - rounded;
  if (is_small(rounded) || settings.expandable_segments) return rest >= kRoundingBytes;
  return rounded < settings.max_split_bytes && rest > kMostSmallBytes;
}

bool may_serve(std::uint64_t chunk_bytes, std::uint64_t rounded,
               const AllocatorSettings& settings) {
  if (rounded < settings.max_split_bytes) return chunk_bytes < settings.max_split_bytes;
  return chunk_bytes < rounded + kLargeSegmentBytes;
}

}  // namespace runahead::device::caching
