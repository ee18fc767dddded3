#pragma once

#include <functional>
#include <mutex>
#include <utility>

namespace runahead::device {

/// Called before peaks are reset. @param forgets_calls  Whether the blocking operators counted so
/// far are forgotten, too.
using PeakResetListener = std::function<void(bool forgets_calls)>;

/// Announces resets of the device's peaks to one listener, such as a recording. Thread-safe.
class PeakResets {
 public:
  /// Replaces the listener; null: none. Waits for a call that is under way.
  void listen(PeakResetListener listener) {
    const std::lock_guard lock(mutex_);
    listener_ = std::move(listener);
  }
  /// Call before the peaks are reset.
  void announce(bool forgets_calls) {
    const std::lock_guard lock(mutex_);
    if (listener_) listener_(forgets_calls);
  }

 private:
  std::mutex mutex_{};
  PeakResetListener listener_{};
};

}  // namespace runahead::device
