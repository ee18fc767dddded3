#include "core/memory/ticker.h"

#include <sys/prctl.h>
#include <ctime>

#include <algorithm>

namespace runahead::memory {
namespace {

using namespace std::chrono_literals;

/// A plain absolute sleep is the cheapest way to wake on time; it cannot be interrupted, so a long
/// wait is cut into pieces.
constexpr auto kLongestSleep = 20ms;

void sleep_until(TimePoint deadline) noexcept {
  const auto nanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.time_since_epoch()).count();
  const timespec until{.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000),
                       .tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000)};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

class SteadyTicker final : public Ticker {
 public:
  TimePoint now() noexcept override { return Clock::now(); }

  void wait_until(TimePoint deadline, const std::stop_token& stop) noexcept override {
    if (!has_timer_slack_) {
      // The kernel may delay a thread's timers by 50 µs to save wake-ups; 1 ns is the minimum.
      prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
      has_timer_slack_ = true;
    }
    for (TimePoint time = now(); time < deadline && !stop.stop_requested(); time = now()) {
      sleep_until(std::min(deadline, time + kLongestSleep));
    }
  }

 private:
  bool has_timer_slack_ = false;
};

}  // namespace

std::unique_ptr<Ticker> make_steady_ticker() { return std::make_unique<SteadyTicker>(); }

}  // namespace runahead::memory
