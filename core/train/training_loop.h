#pragma once

#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <vector>

#include "core/train/batch_loop.h"
#include "core/train/loss.h"
#include "core/train/model.h"

namespace runahead::train {

/// Trains: each batch is one optimiser step. What each part of a step allocates on `acpu` is
/// counted by purpose (device::TensorClass).
class TrainingLoop final : public BatchLoop {
 public:
  /// All must outlive the loop.
  TrainingLoop(Model& model, torch::optim::Optimizer& optimizer, Loss loss, BatchSource& source,
               Waiter& waiter, std::vector<LoopObserver*> observers = {});

 private:
  [[nodiscard]] torch::Tensor issue(const Batch& batch) override;
  [[nodiscard]] torch::Tensor forward(const Batch& batch);
  void backward(const torch::Tensor& loss);
  void update();

  Model& model_;
  torch::optim::Optimizer& optimizer_;
  Loss loss_;
};

}  // namespace runahead::train
