#pragma once

#include <torch/optim/optimizer.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/json.h"
#include "core/experiment/experiment.h"
#include "core/job/checkpoint.h"
#include "core/job/evaluation.h"
#include "core/train/model.h"

namespace runahead::experiment {

/// The parts that turn a training run into a job, as its config asks for: evaluations, checkpoints,
/// both or neither. Only the front end's thread uses it, except for report().
class TrainingJob {
 public:
  /// `context`, `model` and `optimizer` must outlive this object.
  /// @throws ConfigError if the files of the evaluation cannot be read.
  TrainingJob(const ExperimentContext& context, train::Model& model,
              torch::optim::Optimizer& optimizer);

  /// Resumes from the checkpoint, if there is one. Call it before the first batch.
  /// @return the number of batches already trained; 0 without a checkpoint.
  /// @throws ConfigError if the checkpoint is of another job, or leaves nothing to do.
  [[nodiscard]] std::int64_t resume();

  /// Observers for the measured loop, in calling order. After resume().
  [[nodiscard]] std::vector<train::LoopObserver*> observers();

  /// Evaluates and saves after the last batch.
  void conclude();

  /// Adds the results so far to `results.train`. Any thread.
  void report(Json& results) const;

 private:
  void make_evaluator();
  void keep(const job::Evaluation& evaluation);

  const ExperimentContext& context_;
  train::Model& model_;
  torch::optim::Optimizer& optimizer_;
  std::int64_t resumed_at_ = 0;
  std::unique_ptr<job::Evaluator> evaluator_{};        ///< Null: not asked for.
  std::unique_ptr<job::Checkpointer> checkpointer_{};  ///< Likewise.

  mutable std::mutex mutex_{};                 ///< Guards what follows.
  std::deque<job::Evaluation> evaluations_{};  ///< The latest kMostEvaluations.
};

}  // namespace runahead::experiment
