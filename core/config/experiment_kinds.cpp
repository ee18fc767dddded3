#include "core/config/experiment_kinds.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/config/experiment_config.h"

namespace runahead::config {

const ExperimentKind& kind_of(const std::string& name) {
  const auto& kinds = experiment_kinds();
  const auto found = std::ranges::find(kinds, name, &ExperimentKind::name);
  RUNAHEAD_REQUIRE(found != kinds.end(), "there is no experiment '" + name + "'");
  return *found;
}

bool runs_command(const ExperimentConfig& config) {
  return kind_of(config.experiment).runs_command;
}

}  // namespace runahead::config
