#include "core/experiment/run_trace.h"

namespace runahead::experiment {

void RunTrace::on_phase(train::LoopPhase phase, TimePoint time) {
  switch (phase) {
    case train::LoopPhase::kWaitBefore:
      return enter(trace::Phase::kWaitBefore, time);
    case train::LoopPhase::kData:
      return enter(trace::Phase::kData, time);
    case train::LoopPhase::kIssue:
      return enter(trace::Phase::kIssue, time);
    case train::LoopPhase::kIssueBackward:
      return;  // Part of the issue phase.
    case train::LoopPhase::kWaitAfter:
      return enter(trace::Phase::kWaitAfter, time);
    case train::LoopPhase::kBatchEnd:
      return end_batch(time);
  }
}

}  // namespace runahead::experiment
