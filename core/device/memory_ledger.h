#pragma once

#include <atomic>
#include <cstdint>

#include "core/engine/ledger.h"

namespace runahead::device {

/// A count of bytes and the most it has been, updated at every change. Thread-safe, lock-free.
class PeakCounter {
 public:
  void add(std::uint64_t bytes) noexcept {
    const std::uint64_t now = current_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::uint64_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
  }
  void subtract(std::uint64_t bytes) noexcept {
    current_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t current() const noexcept {
    return current_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t peak() const noexcept {
    return peak_.load(std::memory_order_relaxed);
  }
  void reset_peak() noexcept { peak_.store(current(), std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> current_{0};
  std::atomic<std::uint64_t> peak_{0};
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
