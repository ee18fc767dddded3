#pragma once

#include <torch/types.h>

#include <memory>

#include "core/config/experiment_config.h"
#include "core/train/staging.h"

namespace runahead::cuda {

/// The transfer of batches to `device` that the config's section `cuda` selects. For a device that
/// is not a CUDA device, blocking copies from pageable memory.
/// @throws UsageError for values out of range; c10::Error if the device has no streams.
[[nodiscard]] std::unique_ptr<train::Staging> make_staging(const config::ExperimentConfig& config,
                                                           torch::Device device);

}  // namespace runahead::cuda
