#include "core/base/clock.h"

#include <ctime>

namespace runahead {
namespace {

double read_clock(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace

double thread_cpu_seconds() noexcept { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

double process_cpu_seconds() noexcept { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace runahead
