#pragma once

#include "core/base/clock.h"

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

}  // namespace runahead::experiment
