#pragma once

#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/config/experiment_config.h"

namespace runahead::train {

/// LibTorch's optimiser of the configured kind over `parameters`. SGD uses momentum if it is not 0;
/// Adam and AdamW use LibTorch's betas and epsilon; `weight_decay` is the config's, not LibTorch's
/// default. With `fused` a step is one operation; see FusedSgd and its siblings.
[[nodiscard]] std::unique_ptr<torch::optim::Optimizer> make_optimizer(
    const config::OptimizerConfig& config, std::vector<torch::Tensor> parameters);

/// Drops the gradients of all parameters, like `optimizer.zero_grad(/*set_to_none=*/true)`, but
/// without detaching each first, which is a call of an operator. Never waits.
void drop_gradients(torch::optim::Optimizer& optimizer);

/// Bytes of the state that this optimiser keeps on the device for those of `parameters` that are
/// trained (SGD with momentum: one tensor per parameter; Adam, AdamW: two).
[[nodiscard]] std::uint64_t optimizer_state_bytes(const config::OptimizerConfig& config,
                                                  const std::vector<torch::Tensor>& parameters);

}  // namespace runahead::train
