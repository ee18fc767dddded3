#pragma once

#include <memory>

#include "core/experiment/experiment.h"

namespace runahead::experiment {

/// The experiment that the config's key `experiment` names.
/// @throws ConfigError if that kind is not built, and what its constructor throws.
[[nodiscard]] std::unique_ptr<Experiment> make_experiment(const ExperimentContext& context);

}  // namespace runahead::experiment
