#include "core/experiment/queued_finished_experiment.h"

#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>

#include "core/experiment/stopwatch.h"

namespace runahead::experiment {

void QueuedFinishedExperiment::run_once(Repeat& repeat) {
  const std::int64_t size = program().size;
  const Stopwatch watch;
  const torch::Tensor x = at::rand({size, size}, options());
  const torch::Tensor sum = at::mm(x, x).sum();
  repeat.measure("queued_seconds", watch.seconds());
  static_cast<void>(sum.item());
  repeat.measure("finished_seconds", watch.seconds());
}

}  // namespace runahead::experiment
