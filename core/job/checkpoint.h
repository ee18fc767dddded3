#pragma once

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include <cstdint>
#include <filesystem>

#include "core/base/json.h"
#include "core/train/loop_observer.h"

namespace runahead::job {

/// What a training job is, and how far it has come. A checkpoint is a safetensors file: parameters
/// and buffers as "model.<name>", the optimiser's state as "optimizer.<index>.<name>", the state of
/// the generators of random numbers, the number of batches, and the job's config as JSON.
struct TrainingState {
  torch::nn::Module& module;           ///< On the device.
  torch::optim::Optimizer& optimizer;  ///< Of its parameters.
  torch::Device device;
  Json job;  ///< The settings that must be the same when it goes on, by sections.
  Json job_defaults = Json::object();  ///< Defaults for keys that an older checkpoint lacks.
};

/// Waits for all that was issued, and writes a checkpoint as a whole or not at all.
/// @param batches  Trained so far. @throws Error if it cannot be written.
void save_checkpoint(const std::filesystem::path& path, TrainingState state, std::int64_t batches);

/// Restores what was saved. `state` is as at the start of the job.
/// @return the batches that it was trained for.
/// @throws ConfigError if the file is damaged, or of another job: it names the section that
/// differs.
[[nodiscard]] std::int64_t load_checkpoint(const std::filesystem::path& path, TrainingState state);

/// Saves a checkpoint every so many batches of a loop. The save is a wait.
class Checkpointer final : public train::LoopObserver {
 public:
  /// @param every  Batches, >= 1. @param batches_before  That were trained before the loop.
  Checkpointer(std::filesystem::path path, TrainingState state, std::int64_t every,
               std::int64_t batches_before);

  void after_wait(const train::IssuedBatch& batch) override;

  /// Saves now, unless that was done after the same batch.
  void save();

 private:
  std::filesystem::path path_;
  TrainingState state_;
  std::int64_t every_;
  std::int64_t batches_;
  std::int64_t saved_at_;
};

}  // namespace runahead::job
