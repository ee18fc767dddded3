#include "core/base/clock.h"

#include <array>
#include <ctime>

namespace runahead {
namespace {

double read_clock(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::string now_as(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), format, &utc);
  return text.data();
}

}  // namespace

double thread_cpu_seconds() noexcept { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

double process_cpu_seconds() noexcept { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

std::string utc_timestamp() { return now_as("%Y%m%d-%H%M%S"); }

std::string utc_time() { return now_as("%Y-%m-%dT%H:%M:%SZ"); }

}  // namespace runahead
