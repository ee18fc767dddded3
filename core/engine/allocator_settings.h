#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace runahead::engine {

/// The settings of LibTorch's CUDA caching allocator that `acpu`'s model of it supports; the
/// defaults are LibTorch's.
struct AllocatorSettings {
  static constexpr std::uint64_t kNoSplitLimit = std::numeric_limits<std::uint64_t>::max();

  /// Whether one segment per stream and pool grows as needed, instead of fixed-size segments.
  bool expandable_segments = false;
  /// A free chunk of at least this size is never split. Above 20 MiB.
  std::uint64_t max_split_bytes = kNoSplitLimit;
  /// Sizes are rounded up to one of this many steps between powers of two; must be a power of two.
  /// 1: rounds only to 512 bytes.
  std::uint64_t roundup_power2_divisions = 1;
  /// Fraction of the capacity above which old free segments are returned before a new one is
  /// created; 0: never.
  double garbage_collection_threshold = 0;
  /// Whether an allocation that finds no memory first waits for the operations in flight, as CUDA's
  /// does. Not a LibTorch setting. If false, memory whose free is pending counts as lost.
  bool wait_before_failing = true;
  /// The most bytes that segments may occupy; nullopt: whatever the system provides. For CUDA it is
  /// the size of the device's memory, or the fraction of it that a process may use.
  std::optional<std::uint64_t> capacity_bytes{};

  bool operator==(const AllocatorSettings&) const = default;
};

/// Parses `text` in the format of PYTORCH_CUDA_ALLOC_CONF, such as
/// "expandable_segments:True,max_split_size_mb:64"; absent settings keep their defaults. The keys
/// are expandable_segments, max_split_size_mb, roundup_power2_divisions (one number),
/// garbage_collection_threshold and wait_before_failing. Leaves the capacity unset.
/// @throws ConfigError for an unknown key or a value that is not allowed.
[[nodiscard]] AllocatorSettings parse_allocator_settings(std::string_view text);

}  // namespace runahead::engine
