#pragma once

#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <array>
#include <cstdint>
#include <memory>

#include "apps/cell/dispatch_loop.h"
#include "core/train/back_end.h"
#include "core/train/loss.h"
#include "core/train/model.h"

namespace runahead::cell {

/// The parts of a training step, in order.
enum class StepPart { kForward, kBackward, kOptimizer };
inline constexpr std::size_t kStepParts = 3;

/// One training step of an 8→8→1 MLP with ReLU, batch 4, loss l2, plain SGD, on one batch that is
/// already on the device. `optimizer` covers the update and dropping the gradients.
class MlpStep {
 public:
  explicit MlpStep(torch::Device device);

  /// Issues one part. Issue the parts in order. Waits for nothing except, on `acpu`, LibTorch's
  /// thread that runs the backward pass.
  void issue(StepPart part);

 private:
  std::unique_ptr<train::Model> model_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  train::Loss loss_function_;
  torch::Tensor inputs_;
  torch::Tensor targets_;
  torch::Tensor loss_{};
};

/// Times are in µs per step.
struct StepFigures : LoopFigures {
  std::array<double, kStepParts> part_issue_us{};  ///< Parts of issue_us.
};

/// After a warm-up of a tenth of the steps, runs `steps` steps with one wait at the end, and then
/// as many with a wait after each.
[[nodiscard]] StepFigures measure(MlpStep& step, std::int64_t steps, train::BackEnd& back_end);

/// The number of operations that each part of a step issues on `acpu`, counted with an observer of
/// the engine. Discards the device's settings, so call device::configure afterwards.
[[nodiscard]] std::array<std::uint64_t, kStepParts> count_operations(MlpStep& step);

struct BackwardHop {
  double us = 0.0;
  double front_end_cpu_share = 0.0;  ///< As in LoopFigures.
};

/// The time of a backward on `device` beyond that of one on `cpu`, apart from issuing
/// operations: both pass through one view of a tensor. A handover between threads would show here.
[[nodiscard]] BackwardHop measure_backward_hop(torch::Device device);

}  // namespace runahead::cell
