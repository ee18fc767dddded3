#pragma once

#include <chrono>

namespace runahead {

/// The one clock of every measurement: monotonic, shared by all threads of the machine.
using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

/// Seconds from `from` to `to`; negative when `to` is earlier.
[[nodiscard]] inline double seconds_between(TimePoint from, TimePoint to) noexcept {
  return std::chrono::duration<double>(to - from).count();
}

/// CPU time used by the calling thread so far, in seconds.
[[nodiscard]] double thread_cpu_seconds() noexcept;

/// CPU time used by all threads of the process so far, in seconds.
[[nodiscard]] double process_cpu_seconds() noexcept;

}  // namespace runahead
