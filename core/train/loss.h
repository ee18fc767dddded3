#pragma once

#include <torch/types.h>

#include <functional>

#include "core/config/experiment_config.h"

namespace runahead::train {

/// A scalar loss of predictions (batch, outputs) and targets, on their device.
using Loss =
    std::function<torch::Tensor(const torch::Tensor& predictions, const torch::Tensor& targets)>;

/// The loss of the given kind, a mean over all elements (cross_entropy: over the batch):
/// - `l2`: ½·mean((ŷ−y)²), like Gluon's L2Loss; `mse`: mean((ŷ−y)²); `l1`: mean(|ŷ−y|);
/// - `huber`: LibTorch's huber_loss with delta 1;
/// - `cross_entropy`: LibTorch's cross_entropy_loss of logits and int64 class indices (batch,).
/// All but the last take float targets of the predictions' shape; a call with any other targets
/// throws ConfigError.
[[nodiscard]] Loss make_loss(config::LossKind kind);

}  // namespace runahead::train
