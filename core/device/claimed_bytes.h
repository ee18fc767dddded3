#pragma once

#include <cstdint>

namespace runahead::device {

/// What MemoryStats::claimed_bytes has come from: all that was ever claimed, and of it what was
/// given back.
struct ClaimedTotals {
  std::uint64_t claimed_bytes = 0;
  std::uint64_t released_bytes = 0;
  std::uint64_t peak_bytes = 0;  ///< MemoryStats::claimed_peak_bytes.
};

/// Thread-safe, may be called in a mark's callback. All zero in a process without a device.
[[nodiscard]] ClaimedTotals claimed_totals() noexcept;

}  // namespace runahead::device
