#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace runahead::memory {

/// How late samples were: durations counted in buckets that widen with the duration, so that hours
/// of them take 8 KiB and a percentile is accurate to 1/16. Not thread-safe.
class JitterHistogram {
 public:
  /// Negative durations count as 0.
  void add(double seconds) noexcept;

  /// The upper edge of the percentile's bucket, in seconds; nullopt before the first add.
  /// @param percent  In [0, 100].
  [[nodiscard]] std::optional<double> percentile(double percent) const noexcept;

 private:
  static constexpr std::size_t kBucketsPerOctave = 16;
  static constexpr std::size_t kOctaves = 61;

  static std::size_t bucket_of(std::uint64_t nanoseconds) noexcept;
  static std::uint64_t upper_edge(std::size_t bucket) noexcept;

  std::array<std::uint64_t, kBucketsPerOctave * kOctaves> counts_{};
  std::uint64_t total_ = 0;
};

}  // namespace runahead::memory
