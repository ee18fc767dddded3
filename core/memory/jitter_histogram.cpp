#include "core/memory/jitter_histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace runahead::memory {

void JitterHistogram::add(double seconds) noexcept {
  const double nanoseconds = std::clamp(seconds * 1e9, 0.0, 9e18);
  ++counts_[bucket_of(static_cast<std::uint64_t>(nanoseconds))];
  ++total_;
}

std::optional<double> JitterHistogram::percentile(double percent) const noexcept {
  if (total_ == 0) return std::nullopt;
  const double wanted = std::max(1.0, std::ceil(static_cast<double>(total_) * percent / 100.0));
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  for (; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket];
    if (static_cast<double>(seen) >= wanted) break;
  }
  return static_cast<double>(upper_edge(bucket)) * 1e-9;
}

std::size_t JitterHistogram::bucket_of(std::uint64_t nanoseconds) noexcept {
  if (nanoseconds < kBucketsPerOctave) return static_cast<std::size_t>(nanoseconds);
  // The highest set bit names the octave, the four bits below it the bucket in the octave.
  const auto shift = static_cast<std::size_t>(std::bit_width(nanoseconds)) - 5;
  return (shift + 1) * kBucketsPerOctave +
         static_cast<std::size_t>(nanoseconds >> shift) % kBucketsPerOctave;
}

std::uint64_t JitterHistogram::upper_edge(std::size_t bucket) noexcept {
  if (bucket < kBucketsPerOctave) return bucket;
  const std::size_t shift = bucket / kBucketsPerOctave - 1;
  const std::uint64_t mantissa = kBucketsPerOctave + bucket % kBucketsPerOctave;
  return ((mantissa + 1) << shift) - 1;
}

}  // namespace runahead::memory
