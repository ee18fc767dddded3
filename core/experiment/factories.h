#pragma once

#include <torch/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/config/experiment_config.h"
#include "core/train/batch_source.h"
#include "core/train/device_hold.h"
#include "core/train/device_memory.h"
#include "core/train/loop_observer.h"
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

/// Makes the way from the host to `device` that the config asks for.
using StagingFactory = std::function<std::unique_ptr<train::Staging>(
    const config::ExperimentConfig& config, torch::Device device)>;

/// Blocking copies from pageable memory, whatever the config says.
[[nodiscard]] inline std::unique_ptr<train::Staging> make_pageable_staging(
    const config::ExperimentConfig& /*config*/, torch::Device device) {
  return std::make_unique<train::PageableStaging>(device);
}

/// What experiments are made of, models and sources by the `kind` of the config's section. Filled
/// in by the program: experiments know the interfaces only. The defaults serve `cpu` and `acpu`.
struct Factories {
  std::map<std::string, ModelFactory> models{};
  std::map<std::string, SourceFactory> sources{};
  StagingFactory staging = make_pageable_staging;
  /// Makes the memory of a device that has its own. Empty, or a null result: it has none.
  std::function<std::unique_ptr<train::DeviceMemory>(torch::Device device)> device_memory{};
  /// Makes the hold of a device. Empty, or a null result: that device cannot be held.
  std::function<std::unique_ptr<train::DeviceHold>(torch::Device device)> device_hold{};
  /// Makes a loop observer that marks ranges for a profiler (NVTX). Empty, or a null result: none.
  std::function<std::unique_ptr<train::LoopObserver>()> loop_ranges{};
  /// Why CUDA cannot be used, in a sentence without its full stop; empty: it can, or it was not
  /// checked.
  std::string cuda_problem{};
};

}  // namespace runahead::experiment
