#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "core/base/clock.h"

/// Short waits without the kernel. A wake-up across CPUs costs 30 to 75 µs, so a thread spins for
/// about that long before it sleeps, which never costs more than twice the best choice.
namespace runahead::engine {

inline constexpr std::chrono::microseconds kSpinTime{50};

/// Hints to the CPU that this is a spin loop.
inline void pause_briefly() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#else
  std::this_thread::yield();
#endif
}

/// Spins until `condition()` holds, for at most about `longest`.
/// @return whether it held.
template <typename Condition>
bool spin_until(Condition&& condition, std::chrono::nanoseconds longest = kSpinTime) {
  constexpr int kChecksPerClockReading = 16;
  if (condition()) return true;
  const TimePoint deadline = Clock::now() + longest;
  do {
    for (int check = 0; check < kChecksPerClockReading; ++check) {
      pause_briefly();
      if (condition()) return true;
    }
  } while (Clock::now() < deadline);
  return false;
}

/// A lock for sections far shorter than a sleep. Contenders back off, then yield, then sleep. They
/// must sleep because yielding at real-time priority, which the memory monitor has, never gives the
/// CPU to a preempted holder of lower priority.
class SpinLock {
 public:
  void lock() noexcept {
    int rounds = 0;
    while (is_locked_.exchange(true, std::memory_order_acquire)) {
      do {
        wait_a_moment(rounds++);
      } while (is_locked_.load(std::memory_order_relaxed));
    }
  }
  void unlock() noexcept { is_locked_.store(false, std::memory_order_release); }

 private:
  static constexpr int kPausingRounds = 9;  ///< Of 1, 2, 4, … 256 pauses.
  static constexpr int kYieldingRounds = 32;
  static constexpr std::chrono::microseconds kSleep{20};

  static void wait_a_moment(int round) noexcept {
    if (round < kPausingRounds) {
      for (int i = 0; i < 1 << round; ++i) pause_briefly();
    } else if (round < kPausingRounds + kYieldingRounds) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kSleep);
    }
  }

  std::atomic<bool> is_locked_{false};
};

}  // namespace runahead::engine
