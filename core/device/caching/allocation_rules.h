#pragma once

#include <cstdint>

#include "core/engine/allocator_settings.h"

/// The sizes of LibTorch's CUDA caching allocator, according to its documentation ("CUDA
/// semantics", memory management) and its source (c10/cuda/CUDACachingAllocator.cpp). Pure
/// functions; sizes are bytes.
namespace runahead::device::caching {

using engine::AllocatorSettings;

inline constexpr std::uint64_t kRoundingBytes = 512;
inline constexpr std::uint64_t kMostSmallBytes = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kSmallSegmentBytes = std::uint64_t{2} << 20;
inline constexpr std::uint64_t kLargeSegmentBytes = std::uint64_t{20} << 20;
/// From this size on a request gets a segment of its own size.
inline constexpr std::uint64_t kLeastOwnSegmentBytes = std::uint64_t{10} << 20;
inline constexpr std::uint64_t kSegmentRoundingBytes = std::uint64_t{2} << 20;

[[nodiscard]] constexpr std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t step) {
  return (bytes + step - 1) / step * step;
}

/// The size that a request takes: a multiple of 512, or of a step between powers of two.
[[nodiscard]] std::uint64_t rounded_bytes(std::uint64_t bytes, const AllocatorSettings& settings);

/// Whether requests of that rounded size come from the pool of small segments.
[[nodiscard]] constexpr bool is_small(std::uint64_t rounded) { return rounded <= kMostSmallBytes; }

/// The size of the segment that is allocated for a request of that rounded size.
[[nodiscard]] std::uint64_t segment_bytes(std::uint64_t rounded);

/// Whether a free chunk that serves a request of `rounded` is split.
[[nodiscard]] bool is_split(std::uint64_t chunk_bytes, std::uint64_t rounded,
                            const AllocatorSettings& settings);

/// Whether a free chunk that is large enough may serve a request of `rounded`: with a limit on
/// splitting, a chunk above it serves only requests that waste less than 20 MiB of it.
[[nodiscard]] bool may_serve(std::uint64_t chunk_bytes, std::uint64_t rounded,
                             const AllocatorSettings& settings);

}  // namespace runahead::device::caching
