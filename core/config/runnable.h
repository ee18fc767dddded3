#pragma once

#include <string>

#include "core/config/experiment_config.h"

namespace runahead::config {

/// Refuses valid settings that the config's device does not support, so that this is reported
/// before anything runs. Does not check what this machine lacks (a CUDA device).
/// @throws ConfigError naming `source`, every JSON pointer, what was found and what can be run.
void require_runnable(const ExperimentConfig& config, const std::string& source);

}  // namespace runahead::config
