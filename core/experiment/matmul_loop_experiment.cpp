#include "core/experiment/matmul_loop_experiment.h"

#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>

#include "core/experiment/stopwatch.h"

namespace runahead::experiment {

void MatmulLoopExperiment::multiply_in_a_loop(const torch::TensorOptions& where) const {
  const std::int64_t size = program().size;
  for (std::int64_t i = 0; i < program().products; ++i) {
    const torch::Tensor a = at::randn({size, size}, where);
    const torch::Tensor b = at::mm(a, a);
  }
}

void MatmulLoopExperiment::run_once(Repeat& repeat) {
  const Stopwatch without_wait;
  multiply_in_a_loop(options());
  const double without_wait_seconds = without_wait.seconds();
  back_end().synchronize();

  const Stopwatch with_wait;
  multiply_in_a_loop(options());
  back_end().synchronize();
  const double with_wait_seconds = with_wait.seconds();

  const Stopwatch host;
  multiply_in_a_loop(torch::kFloat32);
  const double host_seconds = host.seconds();

  repeat.measure("without_wait_seconds", without_wait_seconds);
  repeat.measure("with_wait_seconds", with_wait_seconds);
  repeat.measure("host_seconds", host_seconds);
  repeat.measure("with_over_host", with_wait_seconds / host_seconds);
}

}  // namespace runahead::experiment
