#pragma once

#include "core/experiment/timed_program.h"

namespace runahead::experiment {

/// `matmul_loop`: Paddle's warm-up: `products` times a normally distributed `size` × `size` matrix
/// and its product with itself; on the device without and with a wait at the end, and on the host,
/// where each call computes, with as many threads an operation as the device has.
class MatmulLoopExperiment final : public TimedProgram {
 public:
  using TimedProgram::TimedProgram;

 protected:
  void run_once(Repeat& repeat) override;

 private:
  void multiply_in_a_loop(const torch::TensorOptions& where) const;
};

}  // namespace runahead::experiment
