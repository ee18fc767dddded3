#pragma once

#include <string>

#include "core/base/json_reader.h"
#include "core/config/experiment_config.h"

namespace runahead::config {

/// Most bytes of one tensor: 2^40.
inline constexpr std::uint64_t kMaxTensorBytes = std::uint64_t{1} << 40;

/// Checks what depends on several keys: sizes of tensors, targets that fit the loss and the model,
/// keys that exclude each other. Each key must have been checked on its own before.
void check(const ExperimentConfig& config, JsonProblems& problems);

/// Refuses valid settings that the config's device does not support, so that this is reported
/// before anything runs. Does not check what this machine lacks (a CUDA device).
/// @throws ConfigError naming `source`, every JSON pointer, what was found and what can be run.
void require_runnable(const ExperimentConfig& config, const std::string& source);

}  // namespace runahead::config
