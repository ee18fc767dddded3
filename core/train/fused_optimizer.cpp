#include "core/train/fused_optimizer.h"

#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace runahead::train {
namespace {

using torch::optim::Optimizer;
using torch::optim::OptimizerParamGroup;
using Tensors = std::vector<torch::Tensor>;
/// LibTorch's map from parameters to what an optimiser keeps for each.
using States = std::remove_reference_t<decltype(std::declval<Optimizer&>().state())>;

torch::Tensor loss_of(const Optimizer::LossClosure& closure) {
  if (closure == nullptr) return {};
  const at::AutoGradMode with_gradients(true);
  return closure();
}

/// What is kept for `parameter`; made by `make()` at its first step.
template <typename State, typename Make>
State& state_of(States& states, const torch::Tensor& parameter, const Make& make) {
  auto& kept = states[parameter.unsafeGetTensorImpl()];
  if (kept == nullptr) kept = make();
  return static_cast<State&>(*kept);
}

Tensors with_gradients(const OptimizerParamGroup& group) {
  Tensors parameters;
  for (const torch::Tensor& parameter : group.params()) {
    if (parameter.grad().defined()) parameters.push_back(parameter);
  }
  return parameters;
}

Tensors gradients_of(const Tensors& parameters) {
  Tensors gradients;
  for (const torch::Tensor& parameter : parameters) gradients.push_back(parameter.grad());
  return gradients;
}

void update_by_sgd(States& states, const Tensors& parameters,
                   const torch::optim::SGDOptions& options, bool is_first_step) {
  Tensors momentum_buffers;
  if (options.momentum() != 0.0) {
    for (const torch::Tensor& parameter : parameters) {
      auto& state = state_of<torch::optim::SGDParamState>(states, parameter, [&] {
        auto made = std::make_unique<torch::optim::SGDParamState>();
        made->momentum_buffer(at::empty_like(parameter));
        return made;
      });
      momentum_buffers.push_back(state.momentum_buffer());
    }
  }
  at::_fused_sgd_(parameters, gradients_of(parameters), momentum_buffers, options.weight_decay(),
                  options.momentum(), options.lr(), options.dampening(), options.nesterov(),
                  /*maximize=*/false, is_first_step);
}

/// Parameters that have had no step yet, and those that have: a fused update takes one kind.
std::array<Tensors, 2> new_and_known(States& states, const Tensors& parameters) {
  std::array<Tensors, 2> parts;
  for (const torch::Tensor& parameter : parameters) {
    parts[states.count(parameter.unsafeGetTensorImpl())].push_back(parameter);
  }
  return parts;
}

/// One step of Adam or AdamW. `State` and `Options` are LibTorch's, `update` is the fused operator.
template <typename State, typename Options, typename Update>
void update_by_adam(States& states, const OptimizerParamGroup& group, const Update& update) {
  const auto& options = static_cast<const Options&>(group.options());
  const Tensors parameters = with_gradients(group);
  if (parameters.empty()) return;
  Tensors averages, squares, most_squares, steps;
  torch::Tensor step_tensor;
  std::int64_t last_step = 0;
  for (const torch::Tensor& parameter : parameters) {
    auto& state = state_of<State>(states, parameter, [&] {
      auto made = std::make_unique<State>();
      made->exp_avg(at::zeros_like(parameter));
      made->exp_avg_sq(at::zeros_like(parameter));
      if (options.amsgrad()) made->max_exp_avg_sq(at::zeros_like(parameter));
      return made;
    });
    state.step(state.step() + 1);
    averages.push_back(state.exp_avg());
    squares.push_back(state.exp_avg_sq());
    if (options.amsgrad()) most_squares.push_back(state.max_exp_avg_sq());
    // Parameters that are trained from the start share one.
    if (last_step != state.step()) {
      step_tensor = at::full({}, static_cast<double>(state.step()),
                             parameter.options().dtype(at::kFloat).requires_grad(false));
      last_step = state.step();
    }
    steps.push_back(step_tensor);
  }
  update(parameters, gradients_of(parameters), averages, squares, most_squares, steps, options.lr(),
         std::get<0>(options.betas()), std::get<1>(options.betas()), options.weight_decay(),
         options.eps(), options.amsgrad(), /*maximize=*/false, std::nullopt, std::nullopt);
}

}  // namespace

torch::Tensor FusedSgd::step(LossClosure closure) {
  const at::NoGradGuard no_gradients;
  torch::Tensor loss = loss_of(closure);
  for (const OptimizerParamGroup& group : param_groups_) {
    const auto& options = static_cast<const torch::optim::SGDOptions&>(group.options());
    const auto [first, later] = new_and_known(state_, with_gradients(group));
    if (!first.empty()) update_by_sgd(state_, first, options, /*is_first_step=*/true);
    if (!later.empty()) update_by_sgd(state_, later, options, /*is_first_step=*/false);
  }
  return loss;
}

torch::Tensor FusedAdam::step(LossClosure closure) {
  const at::NoGradGuard no_gradients;
  torch::Tensor loss = loss_of(closure);
  for (const OptimizerParamGroup& group : param_groups_) {
    update_by_adam<torch::optim::AdamParamState, torch::optim::AdamOptions>(
        state_, group, [](auto&&... arguments) { at::_fused_adam_(arguments...); });
  }
  return loss;
}

torch::Tensor FusedAdamW::step(LossClosure closure) {
  const at::NoGradGuard no_gradients;
  torch::Tensor loss = loss_of(closure);
  for (const OptimizerParamGroup& group : param_groups_) {
    update_by_adam<torch::optim::AdamWParamState, torch::optim::AdamWOptions>(
        state_, group, [](auto&&... arguments) { at::_fused_adamw_(arguments...); });
  }
  return loss;
}

}  // namespace runahead::train
