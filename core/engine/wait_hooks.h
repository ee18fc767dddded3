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

/// Calls `before` and `after` around a wait outside an engine.
class HookedWait {
 public:
  explicit HookedWait(const WaitHooks& hooks) noexcept
      : hooks_(hooks), token_(hooks.before == nullptr ? nullptr : hooks.before()) {}
  ~HookedWait() {
    if (hooks_.after != nullptr) hooks_.after(token_);
  }
  HookedWait(const HookedWait&) = delete;
  HookedWait& operator=(const HookedWait&) = delete;

 private:
  const WaitHooks hooks_;
  void* const token_;
};

/// While it lives, this thread's waits call no check: for memory that is freed, which may wait at
/// the run-ahead limit and must not throw.
class UncheckedWaits {
 public:
  UncheckedWaits() noexcept { ++depth_; }
  ~UncheckedWaits() { --depth_; }
  UncheckedWaits(const UncheckedWaits&) = delete;
  UncheckedWaits& operator=(const UncheckedWaits&) = delete;

  [[nodiscard]] static bool are_here() noexcept { return depth_ > 0; }

 private:
  inline static thread_local int depth_ = 0;
};

}  // namespace runahead::engine
