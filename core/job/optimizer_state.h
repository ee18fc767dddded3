#pragma once

#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <map>
#include <string>

namespace runahead::job {

/// The state that an optimiser made by make_optimizer keeps for each parameter, by names such as
/// "0.momentum_buffer": tensors on the parameter's device, and step counts as int64 scalars on
/// `cpu`. Parameters that were never updated have none.
[[nodiscard]] std::map<std::string, torch::Tensor> optimizer_state(
    torch::optim::Optimizer& optimizer);

/// Gives an optimiser that has taken no step the state, by those names, of another of the same kind
/// and options. The tensors are copied to the parameters' device.
void restore_optimizer_state(const std::map<std::string, torch::Tensor>& state,
                             torch::optim::Optimizer& optimizer);

}  // namespace runahead::job
