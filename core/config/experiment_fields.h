#pragma once

#include "core/base/fields.h"
#include "core/config/experiment_config.h"

namespace runahead::config {

/// Describes every key of an experiment config, in the canonical order: its name, its default, what
/// is allowed and what it does. Each kind of experiment describes the keys that it uses; others are
/// unknown.
void describe(ExperimentConfig& config, Fields& fields);

}  // namespace runahead::config
