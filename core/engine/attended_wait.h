#pragma once

#include "core/base/clock.h"
#include "core/engine/observer.h"
#include "core/engine/wait_hooks.h"

namespace runahead::engine {

/// Who is told of each wait for an engine.
struct WaitAttendants {
  WaitHooks hooks{};
  Observer* observer = nullptr;  ///< May be null.
};

/// One wait: tells the attendants when it begins and ends, or nothing if it never begins.
class AttendedWait {
 public:
  /// `attendants` must outlive the wait.
  AttendedWait(const WaitAttendants& attendants, WaitCause cause) noexcept
      : attendants_(attendants), cause_(cause) {}
  ~AttendedWait() {
    if (has_begun_) end();
  }
  AttendedWait(const AttendedWait&) = delete;
  AttendedWait& operator=(const AttendedWait&) = delete;

  /// Idempotent.
  void begin() noexcept {
    if (has_begun_) return;
    has_begun_ = true;
    const auto& [hooks, observer] = attendants_;
    if (observer != nullptr) observer->on_wait_begin({cause_, Clock::now()});
    if (hooks.before != nullptr) token_ = hooks.before();
  }

 private:
  void end() noexcept {
    const auto& [hooks, observer] = attendants_;
    if (hooks.after != nullptr) hooks.after(token_);
    if (observer != nullptr) observer->on_wait_end({cause_, Clock::now()});
  }

  const WaitAttendants& attendants_;
  void* token_ = nullptr;
  WaitCause cause_;
  bool has_begun_ = false;
};

}  // namespace runahead::engine
