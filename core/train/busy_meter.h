#pragma once

#include <cstdint>
#include <mutex>
#include <thread>

#include "core/base/clock.h"
#include "core/engine/observer.h"

namespace runahead::train {

/// Measures, as an observer of the engine, how long at least one operation was executing (the back
/// end's share of the time, regardless of what the front end waited for), and how long the front
/// end, one thread, waited. Thread-safe.
class BusyMeter final : public engine::Observer {
 public:
  void on_start(const engine::OperationEvent& event) noexcept override;
  void on_finish(const engine::OperationEvent& event) noexcept override;
  void on_wait_begin(const engine::WaitEvent& event) noexcept override;
  void on_wait_end(const engine::WaitEvent& event) noexcept override;

  /// Busy seconds from construction or reset() to `until`, including operations still executing.
  [[nodiscard]] double busy_seconds(TimePoint until) const;

  /// From now on, the calling thread is the front end: its waits count, and those of other threads,
  /// such as a loader or a logger, do not. Before the first call, no wait counts.
  void count_waits_of_this_thread();

  /// Seconds that the front end has waited for the engine, at the run-ahead limit or for results.
  /// For the front end itself.
  [[nodiscard]] double waited_seconds() const;

  /// Discards all measurements. Call it while nothing is in flight.
  void reset();

 private:
  mutable std::mutex mutex_;
  std::int64_t running_ = 0;
  TimePoint busy_since_{};
  double busy_seconds_ = 0.0;
  Clock::duration waited_{};  ///< The sum of end minus start over the front end's waits.
  std::thread::id front_end_{};
};

}  // namespace runahead::train
