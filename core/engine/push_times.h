#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/clock.h"

namespace runahead::engine {

/// When operations were pushed, by the kernel's coarse clock (ticks of 1 to 4 ms, a few ns to
/// read): one entry per tick in which something was pushed, not one per operation. Beyond
/// kMostEntries the entries are thinned out: an age is off by at most a tick, or too large by 0.2
/// %. Not thread-safe.
class PushTimes {
 public:
  static constexpr std::size_t kMostEntries = 1024;

  PushTimes();

  /// Whether a push at `now` must be noted because it is the first in its tick.
  [[nodiscard]] bool is_due(TimePoint now) const noexcept {
    return entries_.empty() || entries_.back().time != now;
  }
  /// Notes that operation `sequence` is pushed now; `oldest` is the oldest in flight.
  void note(std::uint64_t sequence, std::uint64_t oldest, TimePoint now) noexcept;

  /// When `sequence` was pushed, at most a tick late; nullopt if it was never noted.
  [[nodiscard]] std::optional<TimePoint> of(std::uint64_t sequence) const noexcept;

 private:
  struct Entry {
    std::uint64_t first_sequence = 0;
    TimePoint time{};
  };
  void forget_before(std::uint64_t oldest) noexcept;
  void thin_out(Clock::duration spacing) noexcept;

  std::vector<Entry> entries_;  ///< Both members ascend.
};

/// The kernel's coarse clock, on the scale of Clock.
[[nodiscard]] TimePoint coarse_now() noexcept;

}  // namespace runahead::engine
