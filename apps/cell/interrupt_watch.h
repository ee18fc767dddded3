#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

namespace runahead::cell {

/// Turns SIGINT, SIGTERM and SIGHUP into a stop, and into a call when the stop is not heeded in
/// time. A SIGHUP that is ignored (nohup) stays ignored.
///
/// The signals are blocked in the thread that makes this object and in every thread made later, so
/// make it before any other thread. A signal that came earlier, while it was blocked, counts. The
/// signals stay blocked when the object is gone: those that come later are ignored.
class InterruptWatch {
 public:
  /// @param grace       From the first signal to `on_overdue`; a second signal ends it at once.
  /// @param on_overdue  Called on the watch's own thread, at most once.
  /// @throws Error if the system gives no descriptors.
  InterruptWatch(std::chrono::milliseconds grace, std::function<void()> on_overdue);
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  /// Stopped by the first signal.
  [[nodiscard]] std::stop_token stop_token() const { return interrupted_.get_token(); }

 private:
  void watch();
  /// @return false once the object ends. @param signal  Whether a signal came before the time-out.
  [[nodiscard]] bool wait(int timeout_milliseconds, bool& signal) const;

  std::chrono::milliseconds grace_;
  std::function<void()> on_overdue_;
  std::stop_source interrupted_{};
  int signals_ = -1;  ///< A signalfd.
  int end_ = -1;      ///< An eventfd, readable when the object ends.
  std::thread thread_{};
};

}  // namespace runahead::cell
