#pragma once

#include <cstdint>

namespace runahead::device {

/// Memory that a device has claimed for tensors and for what is in flight, counted since its start.
struct ClaimedBytes {
  std::uint64_t claimed = 0;   ///< Everything ever claimed.
  std::uint64_t released = 0;  ///< The part of it that was released.
  std::uint64_t peak = 0;      ///< The most at once since the device's peaks were reset.
};

/// The claimed bytes of `acpu`. Thread-safe; may be called in a mark's callback. All zero in a
/// process without the device.
[[nodiscard]] ClaimedBytes claimed_bytes() noexcept;

}  // namespace runahead::device
