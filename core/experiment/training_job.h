#pragma once

#include <torch/optim/optimizer.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/json.h"
#include "core/experiment/experiment.h"
#include "core/job/checkpoint.h"
#include "core/job/evaluation.h"
#include "core/train/model.h"

namespace runahead::experiment {

/// What makes a training a job, as its config asks for: evaluations, checkpoints, both or neither.
/// Used by the front end's thread, except for report().
class TrainingJob {
 public:
  /// `context`, `model` and `optimizer` must outlive this object.
  /// @throws ConfigError if the files of the evaluation cannot be read.
  TrainingJob(const ExperimentContext& context, train::Model& model,
              torch::optim::Optimizer& optimizer);

  /// Goes on from the checkpoint, if there is one. Before the first batch.
  /// @return the batches that were trained before, 0 without a checkpoint.
  /// @throws ConfigError if it is of another job, or has nothing left to do.
  [[nodiscard]] std::int64_t resume();

  /// Of the measured loop, in the order in which they are to be called. After resume().
  [[nodiscard]] std::vector<train::LoopObserver*> observers();

  /// Evaluates and saves after the last batch.
  void conclude();

  /// Adds to `results.train` what has been found so far; any thread.
  void report(Json& results) const;

 private:
  void make_evaluator();
  void keep(const job::Evaluation& evaluation);

  const ExperimentContext& context_;
  train::Model& model_;
  torch::optim::Optimizer& optimizer_;
  std::int64_t resumed_at_ = 0;
  std::unique_ptr<job::Evaluator> evaluator_{};        ///< Null: none is asked for.
  std::unique_ptr<job::Checkpointer> checkpointer_{};  ///< Likewise.

  mutable std::mutex mutex_{};                 ///< Guards what follows.
  std::deque<job::Evaluation> evaluations_{};  ///< The latest kMostEvaluations.
};

}  // namespace runahead::experiment
