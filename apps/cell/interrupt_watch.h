#pragma once

#include <chrono>
#include <functional>
#include <stop_token>
#include <thread>

namespace runahead::cell {

/// Turns SIGINT, SIGTERM and SIGHUP into a stop request, and into a call if the request is not
/// honoured in time. An ignored SIGHUP (nohup) stays ignored.
///
/// The signals are blocked in the thread that creates this object and in every thread created
/// later, so create it before any other thread. A signal that arrived earlier, while blocked,
/// counts. The signals stay blocked after destruction, so later ones are ignored.
class InterruptWatch {
 public:
  /// @param grace       Time from the first signal to `on_overdue`; a second signal ends it at
  /// once.
  /// @param on_overdue  Called on the watch's own thread, at most once.
  /// @throws Error if the system has no descriptors left.
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
