#pragma once

#include <torch/types.h>

#include <memory>

#include "core/config/experiment_config.h"
#include "core/train/staging.h"

namespace runahead::cuda {

/// The way of batches to `device` that the config's section `cuda` asks for; blocking copies from
/// pageable memory to a device that is not CUDA's.
/// @throws UsageError for values out of their range; c10::Error if the device has no streams.
[[nodiscard]] std::unique_ptr<train::Staging> make_staging(const config::ExperimentConfig& config,
                                                           torch::Device device);

}  // namespace runahead::cuda
