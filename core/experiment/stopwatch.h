#pragma once

#include <chrono>

#include "core/base/clock.h"
#include "core/engine/spin.h"

namespace runahead::experiment {

/// Measures wall time, and CPU time of all threads of the process, since construction.
class Stopwatch {
 public:
  [[nodiscard]] double seconds() const { return seconds_between(begun_, Clock::now()); }
  [[nodiscard]] double cpu_seconds() const { return process_cpu_seconds() - cpu_seconds_; }

 private:
  double cpu_seconds_ = process_cpu_seconds();
  TimePoint begun_ = Clock::now();
};

/// Keeps the calling thread's CPU busy for at least `seconds`, or not at all for 0 or less, as a
/// slow front end does. A sleep would let the CPU idle, and the work after it would run slower
/// until the CPU has woken up. Executes pause instructions between clock reads, so it costs another
/// thread of the same core next to nothing.
inline void work_for(double seconds) {
  if (seconds <= 0.0) return;
  const std::chrono::duration<double> time(seconds);
  engine::spin_until([] { return false; }, std::chrono::ceil<std::chrono::nanoseconds>(time));
}

}  // namespace runahead::experiment
