#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "core/base/clock.h"

namespace runahead::engine {

/// The state that a Marker shares with its engine. Thread-safe.
class MarkerState {
 public:
  explicit MarkerState(std::function<void(TimePoint)> on_finished);

  /// Calls `on_finished` with the time. Called once by the engine, with no lock held.
  void call_back() noexcept;
  /// Marks it as finished. Called by the engine after call_back().
  void finish() noexcept;

  [[nodiscard]] bool is_finished() const noexcept { return is_finished_.load(); }
  /// Blocks until it is finished, for at most about `longest`. @return whether it is finished.
  [[nodiscard]] bool wait_for(std::chrono::milliseconds longest) const;

 private:
  std::function<void(TimePoint)> on_finished_;
  std::atomic<bool> is_finished_{false};
  mutable std::mutex mutex_;
  mutable std::condition_variable finished_;
};

}  // namespace runahead::engine
