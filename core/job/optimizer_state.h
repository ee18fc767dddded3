#pragma once

#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <map>
#include <string>

namespace runahead::job {

/// What an optimiser of make_optimizer keeps of each parameter, by names such as
/// "0.momentum_buffer": tensors on the parameter's device, and counts of steps as int64 scalars on
/// `cpu`. Parameters that were never updated have none.
[[nodiscard]] std::map<std::string, torch::Tensor> optimizer_state(
    torch::optim::Optimizer& optimizer);

/// Gives an optimiser that has made no step the state of another of its kind and options, by those
/// names. The tensors are copied to the parameters' device.
void restore_optimizer_state(const std::map<std::string, torch::Tensor>& state,
                             torch::optim::Optimizer& optimizer);

}  // namespace runahead::job
