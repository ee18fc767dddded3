#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace runahead::device {

/// Counts that are read together, without peaks. As in PeakCounter, adding and subtracting threads
/// write different cache lines, but all counts are packed together, so that a reader costs the
/// writers few transfers between CPUs. Thread-safe, lock-free.
template <std::size_t kCounts>
class CounterGroup {
 public:
  void add(std::size_t index, std::uint64_t amount) noexcept {
    added_[index].fetch_add(amount, std::memory_order_relaxed);
  }
  void subtract(std::size_t index, std::uint64_t amount) noexcept {
    subtracted_[index].fetch_add(amount, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t current(std::size_t index) const noexcept {
    const std::uint64_t subtracted = subtracted_[index].load(std::memory_order_acquire);
    return added_[index].load(std::memory_order_relaxed) - subtracted;
  }

 private:
  alignas(64) std::array<std::atomic<std::uint64_t>, kCounts> added_{};
  alignas(64) std::array<std::atomic<std::uint64_t>, kCounts> subtracted_{};
};

}  // namespace runahead::device
