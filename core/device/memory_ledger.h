#pragma once

#include <atomic>
#include <cstdint>

#include "core/engine/ledger.h"

namespace runahead::device {

/// A count of bytes and the most it has been, updated at every change. Thread-safe, lock-free.
///
/// Adding and subtracting threads write different cache lines: the usual adder is the front end,
/// the usual subtracter a worker, and a line that both write costs each of them a transfer between
/// CPUs.
class PeakCounter {
 public:
  void add(std::uint64_t bytes) noexcept {
    const std::uint64_t added = added_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    const std::uint64_t most = added - subtracted_seen_.load(std::memory_order_relaxed);
    if (most > peak_.load(std::memory_order_relaxed)) raise_peak(added);
  }
  void subtract(std::uint64_t bytes) noexcept {
    subtracted_.fetch_add(bytes, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t current() const noexcept {
    const std::uint64_t subtracted = subtracted_.load(std::memory_order_acquire);
    return added_.load(std::memory_order_relaxed) - subtracted;
  }
  [[nodiscard]] std::uint64_t peak() const noexcept {
    return peak_.load(std::memory_order_relaxed);
  }
  void reset_peak() noexcept { peak_.store(current(), std::memory_order_relaxed); }

 private:
  void raise_peak(std::uint64_t added) noexcept {
    const std::uint64_t subtracted = subtracted_.load(std::memory_order_relaxed);
    if (subtracted > added) return;  // Of what others have added since.
    subtracted_seen_.store(subtracted, std::memory_order_relaxed);
    const std::uint64_t now = added - subtracted;
    std::uint64_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
  }

  alignas(64) std::atomic<std::uint64_t> added_{0};
  std::atomic<std::uint64_t> subtracted_seen_{
      0};  ///< At most subtracted_, but for a moment's race.
  std::atomic<std::uint64_t> peak_{0};
  alignas(64) std::atomic<std::uint64_t> subtracted_{0};
};

/// The device's account of memory: every byte is counted in exactly one of live, promised and held,
/// and always in claimed.
///
/// An output is promised from the moment it is issued, so the operation about to be pushed is
/// already counted and `committed_bytes_with` adds nothing to it.
class MemoryLedger final : public engine::Ledger {
 public:
  [[nodiscard]] std::uint64_t committed_bytes_with(std::uint64_t) const noexcept override {
    return claimed.current();
  }

  PeakCounter live{};                         ///< Allocated.
  PeakCounter promised{};                     ///< Issued, not yet allocated.
  PeakCounter held{};                         ///< Host inputs that only operations in flight keep.
  PeakCounter claimed{};                      ///< The sum of the three.
  std::atomic<std::uint64_t> allocations{0};  ///< Blocks that were given memory, so far.
  std::atomic<std::uint64_t> frees{0};        ///< Blocks that returned it, so far.
  std::atomic<std::uint64_t> failures{0};     ///< Allocations that failed, so far.

  /// Where the next block's address range begins: above every user-space address of the supported
  /// machines, so that a device address collides with no memory.
  std::atomic<std::uint64_t> next_device_address{std::uint64_t{1} << 56};
};

}  // namespace runahead::device
