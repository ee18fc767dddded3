#include <ATen/ops/ones.h>

#include "core/experiment/increment_timing.h"
#include "core/experiment/timed_program.h"

namespace runahead::experiment {
namespace {

/// `increment`: y = x + 1 with x of ones of `shape`, waiting after each and once at the end, for
/// each of `operations`: all on the same x, and chained. The times are compared with n(t1+t2+t3)
/// and t1+n·t2+t3, or n·t1+t2+t3 if t2 < t1, with t1, t2 and t3 fitted to runs of
/// `fitted_operations`. `seconds_per_increment` is added to t1.
class IncrementExperiment final : public TimedProgram {
 public:
  explicit IncrementExperiment(const ExperimentContext& context)
      : TimedProgram(context),
        independent_(program().fitted_operations, program().operations),
        chained_(program().fitted_operations, program().operations) {}

 protected:
  void set_up() override { x_ = at::ones(program().shape, options()); }
  void run_once(Repeat& /*repeat*/) override {
    const double seconds = program().seconds_per_increment;
    independent_.measure(session(), {.x = x_, .seconds_per_increment = seconds});
    chained_.measure(session(), {.x = x_, .is_chained = true, .seconds_per_increment = seconds});
  }

  void forget_warmup() override {
    independent_.clear();
    chained_.clear();
  }

  void add_results(Json& results) const override {
    results["independent"] = independent_.to_json();
    results["chained"] = chained_.to_json();
  }

 private:
  torch::Tensor x_{};
  IncrementSeries independent_;
  IncrementSeries chained_;
};

}  // namespace

std::unique_ptr<Experiment> make_increment(const ExperimentContext& context) {
  return std::make_unique<IncrementExperiment>(context);
}

}  // namespace runahead::experiment
