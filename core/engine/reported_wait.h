#pragma once

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
  }

 private:
  void end() noexcept {
    const auto& [hooks, observer] = listeners_;
    if (hooks.after != nullptr) hooks.after(token_);
    if (observer != nullptr) observer->on_wait_end({cause_, Clock::now()});
  }

  const WaitListeners& listeners_;
  void* token_ = nullptr;
  WaitCause cause_;
  bool has_begun_ = false;
};

}  // namespace runahead::engine
