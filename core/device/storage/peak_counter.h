#pragma once

#include <atomic>
#include <cstdint>

namespace runahead::device {

/// A count (of bytes or blocks) and its peak, updated at every change. Thread-safe, lock-free.
///
/// Adding and subtracting threads write different cache lines: the usual adder is the front end,
/// the usual subtracter a worker, and a line that both write costs each of them a transfer between
/// CPUs.
class PeakCounter {
 public:
  void add(std::uint64_t amount) noexcept {
    const std::uint64_t added = added_.fetch_add(amount, std::memory_order_relaxed) + amount;
    const std::uint64_t most = added - subtracted_seen_.load(std::memory_order_relaxed);
    if (most > peak_.load(std::memory_order_relaxed)) raise_peak(added);
  }
  void subtract(std::uint64_t amount) noexcept {
    subtracted_.fetch_add(amount, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t current() const noexcept {
    const std::uint64_t subtracted = subtracted_.load(std::memory_order_acquire);
    return added_.load(std::memory_order_relaxed) - subtracted;
  }
  /// Whether the count is above `amount`. Reads the subtracted total, which costs a transfer
  /// between CPUs, only when it must.
  [[nodiscard]] bool is_above(std::uint64_t amount) const noexcept {
    const std::uint64_t seen = subtracted_seen_.load(std::memory_order_acquire);
    if (added_.load(std::memory_order_relaxed) - seen <= amount) return false;
    return see_subtracted() > amount;
  }
  /// The peak since reset_peak().
  [[nodiscard]] std::uint64_t peak() const noexcept {
    return peak_.load(std::memory_order_relaxed);
  }
  void reset_peak() noexcept { peak_.store(current(), std::memory_order_relaxed); }

  /// The totals ever added and subtracted.
  [[nodiscard]] std::uint64_t added() const noexcept {
    return added_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t subtracted() const noexcept {
    return subtracted_.load(std::memory_order_relaxed);
  }

 private:
  /// @return the count.
  std::uint64_t see_subtracted() const noexcept {
    const std::uint64_t subtracted = subtracted_.load(std::memory_order_acquire);
    const std::uint64_t added = added_.load(std::memory_order_relaxed);
    subtracted_seen_.store(subtracted, std::memory_order_release);
    return added - subtracted;
  }
  void raise_peak(std::uint64_t added) noexcept {
    const std::uint64_t subtracted = subtracted_.load(std::memory_order_relaxed);
    if (subtracted > added) return;  // Part of it was added by others since.
    subtracted_seen_.store(subtracted, std::memory_order_release);
    const std::uint64_t now = added - subtracted;
    std::uint64_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
  }

  alignas(64) std::atomic<std::uint64_t> added_{0};
  mutable std::atomic<std::uint64_t> subtracted_seen_{0};  ///< At most subtracted_.
  std::atomic<std::uint64_t> peak_{0};
  alignas(64) std::atomic<std::uint64_t> subtracted_{0};
};

}  // namespace runahead::device
