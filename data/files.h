#pragma once

#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/config/experiment_config.h"
#include "core/train/batch_source.h"
#include "core/train/staging.h"

namespace runahead::data {

/// Shape of one example's inputs in the files of `config.data`. Opens the file.
/// @throws ConfigError like make_file_source.
[[nodiscard]] std::vector<std::int64_t> example_shape_of_files(
    const config::ExperimentConfig& config);

/// Batches of examples from files: `data.files.inputs` (examples, …), converted to
/// `data.files.type` and multiplied by `scale`, and `targets`: for cross_entropy (examples,)
/// integers, which become int64; otherwise (examples, width) or (examples,), which become float32
/// with two dimensions.
///
/// Epochs follow one another, each in an order determined by the seed and its number. The host
/// gathers each batch, on the thread that calls next() or on `loader_threads` threads; `staging`
/// moves it to the device. Equal configs give equal batches, with any number of threads.
/// @throws ConfigError if a file cannot be read, or if the files do not match each other or the
/// config.
[[nodiscard]] std::unique_ptr<train::BatchSource> make_file_source(
    const config::ExperimentConfig& config, torch::Device device,
    std::unique_ptr<train::Staging> staging);

}  // namespace runahead::data
