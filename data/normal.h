#pragma once

#include <torch/types.h>

#include <cstddef>
#include <memory>

#include "core/config/experiment_config.h"
#include "core/train/batch_source.h"
#include "core/train/staging.h"

namespace runahead::data {

/// Most bytes that a pool of batches made beforehand may use.
inline constexpr std::size_t kPoolBytes = std::size_t{1} << 30;

/// Batches of normally distributed inputs (batch_size, features), float32, and constant targets:
/// (batch_size, targets.width) float32, or for cross_entropy (batch_size,) int64, all
/// `targets.value`. Equal seeds give equal batches; `data.made` selects how they are made:
/// - `on_host`: by the front end, with its own generator; `staging` then moves them to the device;
/// - `on_device`: by operations issued to `device`, with its default generator, which the source
///   seeds (so nothing else may draw from it in between: with `data.prefetch`, a model that also
///   draws, as dropout does, gives different numbers each time);
/// - `beforehand`: a pool on the host, made here: as many batches as the run takes, or as many as
///   fit into kPoolBytes (at least one), which then repeat; `staging` moves each to the device.
///
/// Each next() sleeps for `data.seconds_per_batch`, like a source that waits for a disk or a
/// network and takes no CPU from the back end.
[[nodiscard]] std::unique_ptr<train::BatchSource> make_normal_source(
    const config::ExperimentConfig& config, torch::Device device,
    std::unique_ptr<train::Staging> staging);

}  // namespace runahead::data
