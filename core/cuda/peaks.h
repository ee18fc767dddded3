#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

namespace runahead::cuda {

/// A counter's current value, and the highest since its peak was reset.
struct Peaked {
  std::uint64_t current = 0;
  std::uint64_t peak = 0;
};

/// Converts LibTorch's signed counters. A negative value becomes 0.
inline std::uint64_t count_of(std::int64_t value) noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
}

/// The highest reading of one or more probes. Thread-safe, lock-free.
class SampledPeak {
 public:
  void note(std::uint64_t reading) noexcept {
    std::uint64_t highest = highest_.load(std::memory_order_relaxed);
    while (reading > highest &&
           !highest_.compare_exchange_weak(highest, reading, std::memory_order_relaxed)) {
    }
    has_readings_.store(true, std::memory_order_release);
  }

  void reset() noexcept {
    has_readings_.store(false, std::memory_order_relaxed);
    highest_.store(0, std::memory_order_relaxed);
  }

  /// nullopt if there was no reading.
  [[nodiscard]] std::optional<std::uint64_t> highest() const noexcept {
    if (!has_readings_.load(std::memory_order_acquire)) return std::nullopt;
    return highest_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> highest_{0};
  std::atomic<bool> has_readings_{false};
};

}  // namespace runahead::cuda
