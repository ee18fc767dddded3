#pragma once

#include <string>
#include <vector>

#include "core/config/experiment_config.h"
#include "core/config/fields.h"

namespace runahead::config {

/// Describes every key of an experiment config, in the canonical order: its name, default, what is
/// allowed and what it does. A kind of experiment describes the keys that it uses; others are
/// unknown.
void describe(ExperimentConfig& config, Fields& fields);

/// The keys that a sync policy has besides `policy`.
[[nodiscard]] std::vector<std::string> keys_of_policy(SyncPolicyKind policy);

}  // namespace runahead::config
