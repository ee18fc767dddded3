#pragma once

#include <string>

#include "core/config/experiment_config.h"

namespace runahead::config {

/// Refuses what a config may say and its device cannot do, so that it is found before anything
/// runs. What this machine lacks (a CUDA device) is not looked at.
/// @throws ConfigError naming `source`, every JSON pointer, what was found and what can be run.
void require_runnable(const ExperimentConfig& config, const std::string& source);

}  // namespace runahead::config
