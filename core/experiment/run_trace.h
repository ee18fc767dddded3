#pragma once

#include "core/base/clock.h"
#include "core/trace/trace_recorder.h"
#include "core/train/loop_observer.h"

namespace runahead::experiment {

/// Records one run for its trace: the training loop's phases, and what the engine reports.
class RunTrace final : public train::LoopObserver {
 public:
  /// @param executors  As TraceRecorder.
  explicit RunTrace(int executors) : recorder_(executors) {}

  /// Observes operations and waits of the engine. Valid as long as this object.
  [[nodiscard]] engine::Observer& engine_observer() noexcept { return recorder_; }
  void on_phase(train::LoopPhase phase, TimePoint time) override;

  /// Discards what was recorded (the warm-up) and continues. Nothing may be in flight.
  void start() noexcept { recorder_.start(); }
  /// Call it once the front end has issued the last batch.
  void begin_drain(TimePoint time) noexcept { recorder_.begin_drain(time); }
  /// Ends the recording. Idempotent. Any thread, even while others continue.
  const trace::Recording& close() noexcept { return recorder_.close(); }

 private:
  trace::TraceRecorder recorder_;
};

}  // namespace runahead::experiment
