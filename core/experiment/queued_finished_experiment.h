#pragma once

#include "core/experiment/timed_program.h"

namespace runahead::experiment {

/// `queued_finished`: MXNet's first program: a uniformly random `size` × `size` matrix, its product
/// with itself, the sum. "Workloads are queued" once all has been issued, "finished" once the sum
/// has been read.
class QueuedFinishedExperiment final : public TimedProgram {
 public:
  using TimedProgram::TimedProgram;

 protected:
  void run_once(Repeat& repeat) override;
};

}  // namespace runahead::experiment
