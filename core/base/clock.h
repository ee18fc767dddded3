#pragma once

#include <chrono>
#include <string>

namespace runahead {

/// The one clock of every measurement: monotonic, shared by all threads of the machine.
using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

/// Seconds from `from` to `to`; negative when `to` is earlier.
[[nodiscard]] inline double seconds_between(TimePoint from, TimePoint to) noexcept {
  return std::chrono::duration<double>(to - from).count();
}

/// A number of seconds, also a fraction, as the clock counts time.
[[nodiscard]] constexpr Clock::duration duration_of(double seconds) noexcept {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// CPU time used by the calling thread so far, in seconds.
[[nodiscard]] double thread_cpu_seconds() noexcept;

/// CPU time used by all threads of the process so far, in seconds.
[[nodiscard]] double process_cpu_seconds() noexcept;

/// The current time in UTC as 20260131-235959, for file names.
[[nodiscard]] std::string utc_timestamp();

/// The same as 2026-01-31T23:59:59Z (ISO 8601), for records.
[[nodiscard]] std::string utc_time();

}  // namespace runahead
