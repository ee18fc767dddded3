#pragma once

#include <chrono>

namespace runahead::engine {

/// How often a waiting thread calls WaitHooks::check.
inline constexpr std::chrono::milliseconds kWaitCheckInterval{100};

/// Hooks of the embedding program, called around every wait for the engine. A thread that waits
/// while it holds a lock of the program, such as Python's interpreter lock, would block operations
/// that need that lock. Set both of before and after, or neither.
struct WaitHooks {
  void* (*before)() noexcept = nullptr;  ///< Releases the lock; its result is passed to after.
  /// Reacquires the lock. Called with no engine lock held.
  void (*after)(void*) noexcept = nullptr;
  /// Called every kWaitCheckInterval during a wait, between before and after, with no engine lock
  /// held. What it throws ends the wait: Python's KeyboardInterrupt, for example. May be null.
  void (*check)() = nullptr;
};

}  // namespace runahead::engine
