#pragma once

#include <torch/types.h>

#include "core/experiment/timed_program.h"

namespace runahead::experiment {

/// `dispatch`: JAX's example of asynchronous dispatch, dot(x, x) + 3 of a uniformly random
/// `size` × `size` matrix: what the call takes, a look at the shape, the passing on of the result,
/// the wait until it is computed, the copy to the host. And `queue.operations` products issued one
/// after another: how many may be in flight before a call blocks.
class DispatchExperiment final : public TimedProgram {
 public:
  using TimedProgram::TimedProgram;

 protected:
  void set_up() override;
  void run_once(Repeat& repeat) override;

 private:
  [[nodiscard]] torch::Tensor compute() const;
  void time_dispatch(Repeat& repeat);
  void time_block(Repeat& repeat);
  void time_copy(Repeat& repeat);
  void fill_queue(Repeat& repeat);

  torch::Tensor x_{};
  torch::Tensor queued_{};
};

}  // namespace runahead::experiment
