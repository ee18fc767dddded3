#pragma once

#include <torch/types.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/base/error.h"
#include "core/config/experiment_config.h"
#include "core/train/batch_source.h"
#include "core/train/device_hold.h"
#include "core/train/device_memory.h"
#include "core/train/loop_observer.h"
#include "core/train/model.h"
#include "core/train/staging.h"

namespace runahead::experiment {

/// Makes a model on `cpu`, with its parameters initialised from the config's seed.
using ModelFactory =
    std::function<std::unique_ptr<train::Model>(const config::ExperimentConfig& config)>;

/// Makes a source whose batches are on `device`; `staging` moves batches made on the host there.
using SourceFactory = std::function<std::unique_ptr<train::BatchSource>(
    const config::ExperimentConfig& config, torch::Device device,
    std::unique_ptr<train::Staging> staging)>;

/// Makes the staging from the host to `device` that the config asks for.
using StagingFactory = std::function<std::unique_ptr<train::Staging>(
    const config::ExperimentConfig& config, torch::Device device)>;

/// Makes a staging of blocking copies from pageable memory, whatever the config says.
[[nodiscard]] inline std::unique_ptr<train::Staging> make_pageable_staging(
    const config::ExperimentConfig& /*config*/, torch::Device device) {
  return std::make_unique<train::PageableStaging>(device);
}

/// The factory of `kind`. @param pointer  JSON pointer to where the config names the kind.
/// @throws ConfigError if there is none.
template <typename Factory>
[[nodiscard]] const Factory& find_factory(const std::map<std::string, Factory>& factories,
                                          const std::string& kind, const std::string& pointer) {
  const auto found = factories.find(kind);
  if (found == factories.end()) throw ConfigError(pointer + ": '" + kind + "' is not built");
  return found->second;
}

/// Factories of the parts of experiments; models and sources are keyed by the `kind` of their
/// config section. The program fills them in: experiments know only the interfaces. The defaults
/// suit `cpu` and `acpu`.
struct Factories {
  std::map<std::string, ModelFactory> models{};
  std::map<std::string, SourceFactory> sources{};
  StagingFactory staging = make_pageable_staging;
  /// Makes the memory of a device that has its own. Empty, or a null result: the device has none.
  std::function<std::unique_ptr<train::DeviceMemory>(torch::Device device)> device_memory{};
  /// Makes the hold of a device. Empty, or a null result: that device cannot be held.
  std::function<train::DeviceHold(torch::Device device)> device_hold{};
  /// Makes a loop observer that marks ranges for a profiler (NVTX). Empty, or a null result: none.
  std::function<std::unique_ptr<train::LoopObserver>()> loop_ranges{};
  /// Why CUDA cannot be used, as a sentence without its full stop; empty if it can be used or was
  /// not checked.
  std::string cuda_problem{};

  /// Makes the source of the config's data. @throws ConfigError if it has no factory.
  [[nodiscard]] std::unique_ptr<train::BatchSource> make_source(
      const config::ExperimentConfig& config, torch::Device device) const {
    const SourceFactory& make = find_factory(sources, config.data.kind, "/data/kind");
    return make(config, device, staging(config, device));
  }
};

}  // namespace runahead::experiment
