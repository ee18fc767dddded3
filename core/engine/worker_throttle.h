#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "core/base/clock.h"

namespace runahead::engine {

/// Decides which workers take turns at the tracking lock.
///
/// The data that a turn touches moves to the CPU that takes it, at about 100 ns per cache line. If
/// bodies are far shorter than that, one worker is faster than several: a worker whose short body
/// overlapped a turn of a lower-numbered worker stands back, and returns when the others leave work
/// undone. The lowest-numbered workers always stay, so a user who pins workers to CPUs knows which
/// ones they are.
class WorkerThrottle {
 public:
  /// Bodies shorter than this do not justify a second worker.
  static constexpr std::chrono::nanoseconds kShortBody{500};
  /// Turns that take longer than this on average do.
  static constexpr std::chrono::nanoseconds kLongTurn{3000};
  /// Averages are taken over at least this long.
  static constexpr std::chrono::microseconds kWatchTime{20};

  /// A worker's own record, from its first turn to the one in which it finds nothing to do.
  struct Account {
    std::uint64_t last_turn = 0;
    bool is_overlapped = false;  ///< Another worker took a turn since its last one.
    bool was_short = false;      ///< Its body was short; known only after an overlapped turn.
  };

  /// Takes a turn for `worker`. Requires the tracking lock.
  /// @return whether the worker should leave the next operation to the others.
  bool take(Account& account, int worker) noexcept;

  /// Runs `body()`, and times it if the account needs that.
  template <typename Body>
  static void run(Account& account, Body&& body) {
    const TimePoint start = account.is_overlapped ? Clock::now() : TimePoint();
    body();
    account.was_short = account.is_overlapped && Clock::now() - start < kShortBody;
  }

  /// The worker that took the last turn; 0 before the first.
  [[nodiscard]] int last_worker() const noexcept {
    return last_worker_.load(std::memory_order_relaxed);
  }

  /// Whether turns were so quick, over the last period of at least kWatchTime, that one more worker
  /// would not pay off. Called repeatedly, by one idle worker at a time.
  [[nodiscard]] bool are_quick(TimePoint now) noexcept;

 private:
  alignas(64) std::atomic<std::uint64_t> turns_{0};
  std::atomic<int> last_worker_{0};

  // Used by are_quick(). Atomic, because a worker may have lost its CPU inside it.
  alignas(64) std::atomic<std::uint64_t> turns_watched_{0};
  std::atomic<TimePoint> watched_at_{Clock::now()};
  std::atomic<bool> are_quick_{false};
};

}  // namespace runahead::engine
