#include <ATen/Parallel.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>

#include "core/experiment/stopwatch.h"
#include "core/experiment/timed_program.h"

namespace runahead::experiment {
namespace {

/// While it lives, operations that the calling thread executes use that many threads.
class IntraOpThreads {
 public:
  explicit IntraOpThreads(int threads) { at::set_num_threads(threads); }
  ~IntraOpThreads() { at::set_num_threads(before_); }
  IntraOpThreads(const IntraOpThreads&) = delete;
  IntraOpThreads& operator=(const IntraOpThreads&) = delete;

 private:
  int before_ = at::get_num_threads();
};

/// `matmul_loop`: Paddle's warm-up: `products` times, a normally distributed `size` × `size` matrix
/// and its product with itself. Runs on the device without and with a wait at the end, and on the
/// host, where each call computes, with as many threads per operation as the device uses.
class MatmulLoopExperiment final : public TimedProgram {
 public:
  using TimedProgram::TimedProgram;

 protected:
  void run_once(Repeat& repeat) override {
    const Stopwatch without_wait;
    multiply_in_a_loop(options());
    const double without_wait_seconds = without_wait.seconds();
    back_end().synchronize();

    const Stopwatch with_wait;
    multiply_in_a_loop(options());
    back_end().synchronize();
    const double with_wait_seconds = with_wait.seconds();

    const double host_seconds = seconds_on_host();

    repeat.measure("without_wait_seconds", without_wait_seconds);
    repeat.measure("with_wait_seconds", with_wait_seconds);
    repeat.measure("host_seconds", host_seconds);
    repeat.measure("with_over_host", with_wait_seconds / host_seconds);
  }

 private:
  [[nodiscard]] double seconds_on_host() const {
    const IntraOpThreads threads(context().config.threads.intra_op);
    const Stopwatch host;
    multiply_in_a_loop(torch::kFloat32);
    return host.seconds();
  }

  void multiply_in_a_loop(const torch::TensorOptions& where) const {
    const std::int64_t size = program().size;
    for (std::int64_t i = 0; i < program().products; ++i) {
      const torch::Tensor a = at::randn({size, size}, where);
      const torch::Tensor b = at::mm(a, a);
    }
  }
};

}  // namespace

std::unique_ptr<Experiment> make_matmul_loop(const ExperimentContext& context) {
  return std::make_unique<MatmulLoopExperiment>(context);
}

}  // namespace runahead::experiment
