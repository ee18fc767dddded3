#pragma once

#include <mutex>

#include "core/base/clock.h"
#include "core/engine/observer.h"
#include "core/engine/wait_hooks.h"

namespace runahead::engine {

/// Listeners notified of each wait for an engine.
struct WaitListeners {
  WaitHooks hooks{};
  Observer* observer = nullptr;  ///< May be null.
};

/// One wait. It reports its begin and end to the listeners; a wait that never begins reports
/// nothing.
class ReportedWait {
 public:
  /// `listeners` must outlive the wait.
  ReportedWait(const WaitListeners& listeners, WaitCause cause) noexcept
      : listeners_(listeners), cause_(cause) {}
  ~ReportedWait() {
    if (has_begun_) end();
  }
  ReportedWait(const ReportedWait&) = delete;
  ReportedWait& operator=(const ReportedWait&) = delete;

  /// Idempotent.
  void begin() noexcept {
    if (has_begun_) return;
    has_begun_ = true;
    const auto& [hooks, observer] = listeners_;
    if (observer != nullptr) observer->on_wait_begin({cause_, Clock::now()});
    if (hooks.before != nullptr) token_ = hooks.before();
    checked_at_ = Clock::now();
  }

  /// Calls the program's check if it is due, without `lock`. For a thread that sleeps in a wait
  /// that has begun. @throws what the check throws, with `lock` held.
  void check(std::unique_lock<std::mutex>& lock) {
    const auto check = listeners_.hooks.check;
    if (check == nullptr || UncheckedWaits::are_here()) return;
    if (Clock::now() - checked_at_ < kWaitCheckInterval) return;
    lock.unlock();
    const Relock relock(lock);
    check();
    checked_at_ = Clock::now();
  }

 private:
  struct Relock {
    explicit Relock(std::unique_lock<std::mutex>& lock) noexcept : lock_(lock) {}
    ~Relock() { lock_.lock(); }
    Relock(const Relock&) = delete;
    Relock& operator=(const Relock&) = delete;
    std::unique_lock<std::mutex>& lock_;
  };

  void end() noexcept {
    const auto& [hooks, observer] = listeners_;
    if (hooks.after != nullptr) hooks.after(token_);
    if (observer != nullptr) observer->on_wait_end({cause_, Clock::now()});
  }

  const WaitListeners& listeners_;
  void* token_ = nullptr;
  TimePoint checked_at_{};
  WaitCause cause_;
  bool has_begun_ = false;
};

}  // namespace runahead::engine
