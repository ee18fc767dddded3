#include "core/job/optimizer_state.h"

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <memory>
#include <vector>

#include "core/base/error.h"

namespace runahead::job {
namespace {

using Tensors = std::map<std::string, torch::Tensor>;
using torch::optim::AdamParamState;
using torch::optim::AdamWParamState;
using torch::optim::OptimizerParamState;
using torch::optim::SGDParamState;

constexpr const char* kMomentum = "momentum_buffer";
constexpr const char* kStep = "step";
constexpr const char* kAverage = "exp_avg";
constexpr const char* kSquares = "exp_avg_sq";

std::vector<torch::Tensor> parameters_of(torch::optim::Optimizer& optimizer) {
  std::vector<torch::Tensor> parameters;
  for (torch::optim::OptimizerParamGroup& group : optimizer.param_groups()) {
    parameters.insert(parameters.end(), group.params().begin(), group.params().end());
  }
  return parameters;
}

template <typename State>
void add_moments(const State& state, const std::string& prefix, Tensors& tensors) {
  tensors[prefix + kStep] = torch::tensor(state.step(), torch::kInt64);
  tensors[prefix + kAverage] = state.exp_avg();
  tensors[prefix + kSquares] = state.exp_avg_sq();
}

void add_state(const OptimizerParamState& state, const std::string& prefix, Tensors& tensors) {
  if (const auto* sgd = dynamic_cast<const SGDParamState*>(&state)) {
    if (sgd->momentum_buffer().defined()) tensors[prefix + kMomentum] = sgd->momentum_buffer();
  } else if (const auto* adam = dynamic_cast<const AdamParamState*>(&state)) {
    add_moments(*adam, prefix, tensors);
  } else if (const auto* adamw = dynamic_cast<const AdamWParamState*>(&state)) {
    add_moments(*adamw, prefix, tensors);
  } else {
    throw UsageError("optimizer_state: this kind of optimiser is unknown");
  }
}

/// Copies, because the optimiser writes to its state, and data read from a file is read-only.
torch::Tensor copy_on(torch::Device device, const torch::Tensor& tensor) {
  return tensor.to(device, tensor.scalar_type(), /*non_blocking=*/false, /*copy=*/true);
}

template <typename State>
std::unique_ptr<OptimizerParamState> with_moments(const Tensors& tensors, const std::string& prefix,
                                                  torch::Device device) {
  auto state = std::make_unique<State>();
  state->step(tensors.at(prefix + kStep).template item<std::int64_t>());
  state->exp_avg(copy_on(device, tensors.at(prefix + kAverage)));
  state->exp_avg_sq(copy_on(device, tensors.at(prefix + kSquares)));
  return state;
}

/// Null if nothing is kept for the parameter.
std::unique_ptr<OptimizerParamState> state_from(const Tensors& tensors, const std::string& prefix,
                                                const torch::optim::Optimizer& optimizer,
                                                torch::Device device) {
  if (tensors.contains(prefix + kMomentum)) {
    auto state = std::make_unique<SGDParamState>();
    state->momentum_buffer(copy_on(device, tensors.at(prefix + kMomentum)));
    return state;
  }
  if (!tensors.contains(prefix + kStep)) return nullptr;
  const bool is_adam = dynamic_cast<const torch::optim::Adam*>(&optimizer) != nullptr;
  return is_adam ? with_moments<AdamParamState>(tensors, prefix, device)
                 : with_moments<AdamWParamState>(tensors, prefix, device);
}

}  // namespace

Tensors optimizer_state(torch::optim::Optimizer& optimizer) {
  Tensors tensors;
  const std::vector<torch::Tensor> parameters = parameters_of(optimizer);
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    const auto found = optimizer.state().find(parameters[index].unsafeGetTensorImpl());
    if (found == optimizer.state().end()) continue;
    add_state(*found->second, std::to_string(index) + ".", tensors);
  }
  return tensors;
}

void restore_optimizer_state(const Tensors& state, torch::optim::Optimizer& optimizer) {
  const std::vector<torch::Tensor> parameters = parameters_of(optimizer);
  for (std::size_t index = 0; index < parameters.size(); ++index) {
    const torch::Tensor& parameter = parameters[index];
    auto restored = state_from(state, std::to_string(index) + ".", optimizer, parameter.device());
    if (restored) optimizer.state()[parameter.unsafeGetTensorImpl()] = std::move(restored);
  }
}

}  // namespace runahead::job
