#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "core/memory/ticker.h"

namespace runahead::memory::test {

/// A clock that the test moves: the sampling thread sleeps until its deadline is reached by it.
/// Shared by the test and the ticker that the monitor owns.
class ManualTime {
 public:
  static constexpr std::chrono::seconds kPatience{20};

  [[nodiscard]] TimePoint now() {
    const std::lock_guard lock(mutex_);
    return now_;
  }

  /// Moves the clock, once the sampling thread waits, and returns when it waits again.
  /// @return False if it did not within kPatience.
  bool advance(Clock::duration step) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kPatience, [this] { return is_waiting_; })) return false;
    now_ += step;
    if (now_ < deadline_) return true;
    is_waiting_ = false;
    changed_.notify_all();
    return changed_.wait_for(lock, kPatience, [this] { return is_waiting_; });
  }

  void wait_until(TimePoint deadline, const std::stop_token& stop) {
    const std::stop_callback wake(stop, [this] {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    });
    std::unique_lock lock(mutex_);
    deadline_ = deadline;
    is_waiting_ = now_ < deadline;
    changed_.notify_all();
    changed_.wait(lock, [&] { return now_ >= deadline || stop.stop_requested(); });
  }

  /// The deadline that the sampling thread waits for.
  [[nodiscard]] TimePoint deadline() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatience, [this] { return is_waiting_; });
    return deadline_;
  }

 private:
  std::mutex mutex_{};
  std::condition_variable changed_{};
  TimePoint now_ = TimePoint(std::chrono::seconds(1000));
  TimePoint deadline_{};
  bool is_waiting_ = false;
};

/// The Ticker of a ManualTime, which must outlive it.
class ManualTicker final : public Ticker {
 public:
  explicit ManualTicker(ManualTime& time) : time_(time) {}
  TimePoint now() noexcept override { return time_.now(); }
  void wait_until(TimePoint deadline, const std::stop_token& stop) noexcept override {
    time_.wait_until(deadline, stop);
  }

 private:
  ManualTime& time_;
};

}  // namespace runahead::memory::test
