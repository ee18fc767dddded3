#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace runahead {

/// Calls `step` once per period on a thread of its own, first after one period. Destroying the
/// result ends the thread, and `step` with it.
/// @param step  Must not throw.
[[nodiscard]] inline std::jthread every(std::chrono::duration<double> period,
                                        std::function<void()> step) {
  return std::jthread([period, step = std::move(step)](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wakes;
    std::unique_lock lock(mutex);
    for (;;) {
      wakes.wait_for(lock, stop, period, [] { return false; });
      if (stop.stop_requested()) return;
      step();
    }
  });
}

}  // namespace runahead
