#include <ATen/ops/mm.h>
#include <ATen/ops/rand.h>
#include <torch/types.h>

#include <cstddef>
#include <vector>

#include "core/experiment/measured_figures.h"
#include "core/experiment/stopwatch.h"
#include "core/experiment/timed_program.h"

namespace runahead::experiment {
namespace {

/// `dispatch`: JAX's example of asynchronous dispatch, dot(x, x) + 3 of a uniformly random
/// `size` × `size` matrix. Times the call, a look at the shape, passing the result on, the wait
/// until it is computed, and the copy to the host. Also issues `queue.operations` products one
/// after another, to find how many may be in flight before a call blocks.
class DispatchExperiment final : public TimedProgram {
 public:
  using TimedProgram::TimedProgram;

 protected:
  void set_up() override {
    const std::int64_t size = program().size;
    x_ = at::rand({size, size}, options());
    queued_ = at::rand({program().queue.size, program().queue.size}, options());
  }

  void run_once(Repeat& repeat) override {
    time_dispatch(repeat);
    time_block(repeat);
    time_copy(repeat);
    fill_queue(repeat);
  }

 private:
  [[nodiscard]] torch::Tensor compute() const { return at::mm(x_, x_) + 3.0; }
  void time_dispatch(Repeat& repeat) {
    const std::int64_t size = program().size;
    const Stopwatch watch;
    const torch::Tensor y = compute();
    const double dispatch_seconds = watch.seconds();
    const double dispatch_cpu_seconds = watch.cpu_seconds();
    const bool is_shape_right = y.sizes() == torch::IntArrayRef({size, size});
    const bool is_type_right = y.scalar_type() == torch::kFloat32;
    const double shape_seconds = watch.seconds();
    const auto end_of_y = back_end().mark();
    const bool is_computed_early = end_of_y->is_finished();
    const torch::Tensor passed_on = (y * 2).sum();
    const double passed_on_seconds = watch.seconds();
    const bool is_computed_since = end_of_y->is_finished();
    back_end().synchronize();

    repeat.measure("dispatch_seconds", dispatch_seconds);
    repeat.measure("dispatch_cpu_seconds", dispatch_cpu_seconds);
    repeat.measure("shape_seconds", shape_seconds);
    repeat.measure("passed_on_seconds", passed_on_seconds);
    repeat.observe("shape_known_before_result",
                   is_shape_right && is_type_right && !is_computed_early);
    repeat.observe("passed_on_before_result", !is_computed_since);
  }

  void time_block(Repeat& repeat) {
    const Stopwatch watch;
    const torch::Tensor y = compute();
    back_end().wait_until_computed(y);
    repeat.measure("block_seconds", watch.seconds());
    repeat.measure("block_cpu_seconds", watch.cpu_seconds());
  }

  void time_copy(Repeat& repeat) {
    const Stopwatch watch;
    const torch::Tensor on_host = compute().to(torch::kCPU);
    repeat.measure("copy_seconds", watch.seconds());
    repeat.measure("copy_cpu_seconds", watch.cpu_seconds());
  }

  void fill_queue(Repeat& repeat) {
    std::vector<double> issued(static_cast<std::size_t>(program().queue.operations));
    const Stopwatch watch;
    for (double& seconds : issued) {
      const torch::Tensor product = at::mm(queued_, queued_);
      seconds = watch.seconds();
    }
    back_end().synchronize();
    const double total_seconds = watch.seconds();

    repeat.measure("queue_issue_seconds", issued.back());
    repeat.measure("queue_total_seconds", total_seconds);
    repeat.measure("queue_operations_peak", most_in_flight(issued, total_seconds));
  }

  torch::Tensor x_{};
  torch::Tensor queued_{};
};

}  // namespace

std::unique_ptr<Experiment> make_dispatch(const ExperimentContext& context) {
  return std::make_unique<DispatchExperiment>(context);
}

}  // namespace runahead::experiment
