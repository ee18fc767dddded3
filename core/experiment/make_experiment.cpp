#include "core/experiment/make_experiment.h"

#include "core/base/error.h"

namespace runahead::experiment {

std::unique_ptr<Experiment> make_experiment(const ExperimentContext& context) {
  const std::string& kind = context.config.experiment;
  std::string built;
  for (const auto& [name, make] : experiment_makers()) {
    if (name == kind) return make(context);
    built += (built.empty() ? "" : ", ") + name;
  }
  throw ConfigError("/experiment: '" + kind + "' is not built; there is: " + built);
}

}  // namespace runahead::experiment
