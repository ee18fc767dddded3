#pragma once

#include <torch/nn/module.h>
#include <torch/optim/optimizer.h>

#include <cstdint>
#include <filesystem>

#include "core/base/json.h"
#include "core/train/loop_observer.h"

namespace runahead::job {

/// A training job and its state. A checkpoint is a safetensors file with the parameters as
/// "model.<name>", the buffers as "buffer.<name>", the optimiser's state as
/// "optimizer.<index>.<name>", the state of the random number generators, the number of batches,
/// and the job's config as JSON.
struct TrainingState {
  torch::nn::Module& module;           ///< On the device.
  torch::optim::Optimizer& optimizer;  ///< For its parameters.
  torch::Device device;
  Json job;  ///< The settings that must be the same when the job resumes, by section.
  Json job_defaults = Json::object();  ///< Defaults for keys that an older checkpoint lacks.
};

/// Waits for all issued work, and writes a checkpoint atomically.
/// @param batches  Batches trained so far. @throws Error if it cannot be written.
void save_checkpoint(const std::filesystem::path& path, TrainingState state, std::int64_t batches);

/// Restores what was saved. `state` must be as at the start of the job.
/// @return the number of batches already trained.
/// @throws ConfigError if the file is damaged, or of another job; it then names the section that
///         differs.
[[nodiscard]] std::int64_t load_checkpoint(const std::filesystem::path& path, TrainingState state);

/// Saves a checkpoint every `every` batches of a loop. Each save is a wait.
class Checkpointer final : public train::LoopObserver {
 public:
  /// @param every  Batches, >= 1. @param batches_before  Batches trained before the loop.
  Checkpointer(std::filesystem::path path, TrainingState state, std::int64_t every,
               std::int64_t batches_before);

  void after_wait(const train::IssuedBatch& batch) override;

  /// Saves now, unless already done after the same batch.
  void save();

 private:
  std::filesystem::path path_;
  TrainingState state_;
  std::int64_t every_;
  std::int64_t batches_;
  std::int64_t saved_at_;
};

}  // namespace runahead::job
