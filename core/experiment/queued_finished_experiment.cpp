#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>

#include "core/experiment/stopwatch.h"
#include "core/experiment/timed_program.h"

namespace runahead::experiment {
namespace {

/// `queued_finished`: MXNet's first program: a uniformly random `size` × `size` matrix, its product
/// with itself, and the sum. "Workloads are queued" once all has been issued, and "finished" once
/// the sum has been read.
class QueuedFinishedExperiment final : public TimedProgram {
 public:
  using TimedProgram::TimedProgram;

 protected:
  void run_once(Repeat& repeat) override {
    const std::int64_t size = program().size;
    const Stopwatch watch;
    const torch::Tensor x = at::rand({size, size}, options());
    const torch::Tensor sum = at::mm(x, x).sum();
    repeat.measure("queued_seconds", watch.seconds());
    static_cast<void>(sum.item());
    repeat.measure("finished_seconds", watch.seconds());
  }
};

}  // namespace

std::unique_ptr<Experiment> make_queued_finished(const ExperimentContext& context) {
  return std::make_unique<QueuedFinishedExperiment>(context);
}

}  // namespace runahead::experiment
