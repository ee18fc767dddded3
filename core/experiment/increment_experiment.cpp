#include "core/experiment/increment_experiment.h"

#include <ATen/ops/ones.h>

namespace runahead::experiment {

IncrementExperiment::IncrementExperiment(const ExperimentContext& context)
    : TimedProgram(context),
      independent_(program().fitted_operations, program().operations),
      chained_(program().fitted_operations, program().operations) {}

void IncrementExperiment::set_up() { x_ = at::ones(program().shape, options()); }

void IncrementExperiment::run_once(Repeat& /*repeat*/) {
  const double seconds = program().seconds_per_increment;
  independent_.measure(session(), {.x = x_, .seconds_per_increment = seconds});
  chained_.measure(session(), {.x = x_, .is_chained = true, .seconds_per_increment = seconds});
}

void IncrementExperiment::forget_warmup() {
  independent_.clear();
  chained_.clear();
}

void IncrementExperiment::add_results(Json& results) const {
  results["independent"] = independent_.to_json();
  results["chained"] = chained_.to_json();
}

}  // namespace runahead::experiment
