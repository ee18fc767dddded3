#pragma once

#include "core/base/clock.h"
#include "core/trace/trace_recorder.h"
#include "core/train/loop_observer.h"

namespace runahead::experiment {

/// Records one run for its trace: what the engine reports, and the training loop's phases.
class RunTrace final : public trace::TraceRecorder, public train::LoopObserver {
 public:
  using TraceRecorder::TraceRecorder;

  void on_phase(train::LoopPhase phase, TimePoint time) override;
};

}  // namespace runahead::experiment
