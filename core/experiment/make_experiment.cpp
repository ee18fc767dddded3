#include "core/experiment/make_experiment.h"

#include <functional>
#include <map>
#include <string>

#include "core/base/error.h"
#include "core/experiment/train_experiment.h"

namespace runahead::experiment {
namespace {

using Maker = std::function<std::unique_ptr<Experiment>(const ExperimentContext&)>;

template <typename Kind>
Maker maker_of() {
  return [](const ExperimentContext& context) { return std::make_unique<Kind>(context); };
}

const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> table{
      {"train", maker_of<TrainExperiment>()},
  };
  return table;
}

}  // namespace

std::unique_ptr<Experiment> make_experiment(const ExperimentContext& context) {
  const auto found = makers().find(context.config.experiment);
  if (found != makers().end()) return found->second(context);
  std::string built;
  for (const auto& [name, maker] : makers()) built += (built.empty() ? "" : ", ") + name;
  throw ConfigError("/experiment: '" + context.config.experiment +
                    "' is not built; there is: " + built);
}

}  // namespace runahead::experiment
