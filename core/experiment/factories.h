#pragma once

#include <torch/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/config/experiment_config.h"
#include "core/train/batch_source.h"
#include "core/train/model.h"
#include "core/train/staging.h"

namespace runahead::experiment {

/// Makes a model on `cpu`, its parameters from the config's seed.
using ModelFactory =
    std::function<std::unique_ptr<train::Model>(const config::ExperimentConfig& config)>;

/// Makes a source whose batches are on `device`; `staging` is the way there for batches of the
/// host.
using SourceFactory = std::function<std::unique_ptr<train::BatchSource>(
    const config::ExperimentConfig& config, torch::Device device,
    std::unique_ptr<train::Staging> staging)>;

/// What experiments are made of, by the `kind` of the config's section. Filled in by the program:
/// experiments know the interfaces only.
struct Factories {
  std::map<std::string, ModelFactory> models{};
  std::map<std::string, SourceFactory> sources{};
};

}  // namespace runahead::experiment
