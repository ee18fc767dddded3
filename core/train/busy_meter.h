#pragma once

#include <cstdint>
#include <mutex>
#include <thread>

#include "core/base/clock.h"
#include "core/engine/observer.h"

namespace runahead::train {

/// Measures, as an observer of the engine, how long at least one operation was executing (the back
/// end's share of the time, regardless of what the front end waited for), and how long the front
/// end waited. Thread-safe.
class BusyMeter final : public engine::Observer {
 public:
  void on_start(const engine::OperationEvent& event) noexcept override;
  void on_finish(const engine::OperationEvent& event) noexcept override;
  void on_wait_begin(const engine::WaitEvent& event) noexcept override;
  void on_wait_end(const engine::WaitEvent& event) noexcept override;

  /// Busy seconds from construction or reset() to `until`, including operations still executing.
  [[nodiscard]] double busy_seconds(TimePoint until) const;

  /// From now on, the calling thread's waits do not count as the front end's (for a source that
  /// prepares batches ahead). Only one thread at a time can be left out.
  void leave_out_waits_of_this_thread();

  /// Seconds that threads have waited for the engine since construction, at the run-ahead limit or
  /// for results. Call it only from the single front end, while no thread waits.
  [[nodiscard]] double waited_seconds() const;

  /// Discards all measurements. Call it while nothing is in flight.
  void reset();

 private:
  mutable std::mutex mutex_;
  std::int64_t running_ = 0;
  TimePoint busy_since_{};
  double busy_seconds_ = 0.0;
  Clock::duration waited_{};  ///< The sum of end minus start over all waits.
  std::thread::id left_out_{};
};

}  // namespace runahead::train
