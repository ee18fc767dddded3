#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/experiment/experiment.h"

namespace runahead::experiment {

using ExperimentMaker = std::unique_ptr<Experiment> (*)(const ExperimentContext& context);

/// The kinds that are built, as listed in core/config/CMakeLists.txt, and the maker of each.
[[nodiscard]] const std::vector<std::pair<std::string, ExperimentMaker>>& experiment_makers();

/// Makes the experiment that the config's key `experiment` names.
/// @throws ConfigError if that kind is not built; also what its constructor throws.
[[nodiscard]] std::unique_ptr<Experiment> make_experiment(const ExperimentContext& context);

}  // namespace runahead::experiment
