#pragma once

#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/train/batch_meter.h"
#include "core/train/batch_source.h"
#include "core/train/loop_observer.h"
#include "core/train/loss.h"
#include "core/train/model.h"
#include "core/train/sync_policy.h"

namespace runahead::train {

/// What a loop leaves. The losses are detached scalars on the device, not read: reading is a wait.
struct TrainingTrace {
  torch::Tensor first_loss{};          ///< Undefined if no batch was issued.
  torch::Tensor last_loss{};           ///< Likewise.
  std::uint64_t batch_bytes = 0;       ///< Inputs and targets of one batch.
  std::uint64_t batch_kept_bytes = 0;  ///< See Batch::kept_bytes.
};

/// Trains: one batch after another, each step issued, the sync policy told. Keeps no reference to a
/// batch after its issue, so that a batch's memory is the queue's alone.
class TrainingLoop {
 public:
  /// All must outlive the loop. @param observers  Are told of each phase, in this order.
  TrainingLoop(Model& model, torch::optim::Optimizer& optimizer, Loss loss, BatchSource& source,
               SyncPolicy& policy, std::vector<LoopObserver*> observers = {});

  /// Issues `batches` steps, or fewer when `stop` is requested (looked at before each batch), and
  /// counts each in `meter`. Does not wait at the end.
  /// @throws whatever issuing or a wait of the policy throws; `trace` holds what came before.
  void run(std::int64_t batches, BatchMeter& meter, TrainingTrace& trace,
           std::stop_token stop = {});

 private:
  void enter(LoopPhase phase);
  // What each of these has allocated on `acpu` is counted by what it is for (device::TensorClass).
  [[nodiscard]] Batch next_batch();
  [[nodiscard]] torch::Tensor step(const Batch& batch);
  [[nodiscard]] torch::Tensor forward(const Batch& batch);
  void backward(const torch::Tensor& loss);
  void update();

  Model& model_;
  torch::optim::Optimizer& optimizer_;
  Loss loss_;
  BatchSource& source_;
  SyncPolicy& policy_;
  std::vector<LoopObserver*> observers_;
};

}  // namespace runahead::train
