#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/base/clock.h"
#include "core/train/policies/load_meter.h"

namespace runahead::train {

/// What one batch of a simulated loop takes, seconds.
struct SimulatedBatch {
  double source_seconds = 0.0;              ///< Of the front end, before its operations.
  double issue_seconds = 0.0;               ///< Of the front end, for each operation.
  std::vector<double> operation_seconds{};  ///< Of the back end, for each.
};

/// A front end and a back end with one worker that executes in the order of issue, in simulated
/// time: the front end is held as the engine's gate holds it, high and low watermark included.
/// Reports to a LoadMeter what an engine would.
class SimulatedLoop {
 public:
  explicit SimulatedLoop(LoadMeter& meter) : meter_(meter) { meter_.begin(at(0.0)); }

  /// Issues one batch with so many operations in flight at most. @return what the meter says.
  BatchLoad run(const SimulatedBatch& batch, std::uint64_t depth) {
    now_ += batch.source_seconds;
    for (const double seconds : batch.operation_seconds) {
      now_ += batch.issue_seconds;
      finish_until(now_);
      hold_while_above(depth);
      issue(seconds);
    }
    finish_until(now_);
    return meter_.end_batch(at(now_));
  }

  /// Seconds in which the worker has executed nothing so far.
  [[nodiscard]] double idle_seconds() const { return idle_seconds_; }
  [[nodiscard]] double now() const { return now_; }

 private:
  static TimePoint at(double seconds) {
    return TimePoint{} + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(1.0 + seconds));
  }

  void hold_while_above(std::uint64_t depth) {
    if (in_flight_.size() < depth) return;
    meter_.on_wait_begin({engine::WaitCause::kLimit, at(now_)});
    const std::uint64_t low = depth - (depth + 3) / 4;
    while (in_flight_.size() > low) {
      now_ = std::max(now_, in_flight_.front());
      finish_until(now_);
    }
    meter_.on_wait_end({engine::WaitCause::kLimit, at(now_)});
  }

  void issue(double seconds) {
    meter_.on_push({.time = at(now_)});
    const double begun = std::max(now_, idle_since_);
    idle_seconds_ += begun - idle_since_;
    idle_since_ = begun + seconds;
    in_flight_.push_back(idle_since_);
  }

  void finish_until(double time) {
    while (!in_flight_.empty() && in_flight_.front() <= time) {
      meter_.on_finish({.time = at(in_flight_.front())});
      in_flight_.pop_front();
    }
  }

  LoadMeter& meter_;
  double now_ = 0.0;
  double idle_since_ = 0.0;  ///< When the worker will have executed what was issued.
  double idle_seconds_ = 0.0;
  std::deque<double> in_flight_{};  ///< When each will have finished.
};

}  // namespace runahead::train
