#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "core/base/clock.h"

namespace runahead::engine {

/// How workers take turns at the tracking lock.
///
/// What a turn touches moves to the CPU of whoever takes it, at some 100 ns a cache line. Where
/// bodies are far shorter than that, one worker alone is faster than several: a worker whose short
/// body overlapped a turn of another stands back, and comes back when the others leave work lying.
class Turns {
 public:
  /// Bodies shorter than this do not pay for a second worker.
  static constexpr std::chrono::nanoseconds kShortBody{500};
  /// Work that lies for this long while the others are at work does.
  static constexpr std::chrono::nanoseconds kLongTurn{1000};

  /// A worker's own account, from its first turn to the one in which it finds nothing to do.
  struct Account {
    std::uint64_t last_turn = 0;
    bool is_overlapped = false;  ///< Another worker had a turn since its last.
    bool was_short = false;      ///< Its body was short; known only after an overlapped turn.
  };

  /// Takes a turn. Under the tracking lock.
  /// @return whether the worker should leave the next operation to the others.
  bool take(Account& account) noexcept;

  /// Runs `body()`, and times it if the account needs that.
  template <typename Body>
  static void run(Account& account, Body&& body) {
    const TimePoint start = account.is_overlapped ? Clock::now() : TimePoint();
    body();
    account.was_short = account.is_overlapped && Clock::now() - start < kShortBody;
  }

  /// Watches for kLongTurn. By one idle worker at a time, again and again.
  /// @return whether nobody has taken a turn since the call before.
  [[nodiscard]] bool are_quiet() noexcept;

 private:
  alignas(64) std::atomic<std::uint64_t> turns_{0};
  std::uint64_t turns_seen_ = 0;  ///< By are_quiet().
};

}  // namespace runahead::engine
