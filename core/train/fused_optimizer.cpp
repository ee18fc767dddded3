#include "core/train/fused_optimizer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>

#include <cstddef>
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
/// LibTorch's map from parameters to an optimiser's state for each.
using States = std::remove_reference_t<decltype(std::declval<Optimizer&>().state())>;

torch::Tensor loss_of(const Optimizer::LossClosure& closure) {
  if (closure == nullptr) return {};
  const at::AutoGradMode gradient_mode(true);
  return closure();
}

/// Whether elements have the same memory layout: the kernels ignore strides.
bool are_alike(const torch::Tensor& one, const torch::Tensor& other) {
  return one.sizes() == other.sizes() && one.scalar_type() == other.scalar_type() &&
         ((one.is_contiguous() && other.is_contiguous()) ||
          (one.is_non_overlapping_and_dense() && one.strides() == other.strides()));
}

template <typename State>
State* state_of(States& states, const torch::Tensor& parameter) {
  const auto found = states.find(parameter.unsafeGetTensorImpl());
  return found == states.end() ? nullptr : static_cast<State*>(found->second.get());
}

Tensors trained(const OptimizerParamGroup& group) {
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

/// Whether the kernels can update all parameters: gradients and the defined tensors of
/// `kept_of(parameter)` have their parameter's memory layout.
template <typename KeptOf>
bool is_fusable(const std::vector<OptimizerParamGroup>& groups, const KeptOf& kept_of) {
  for (const OptimizerParamGroup& group : groups) {
    for (const torch::Tensor& parameter : trained(group)) {
      if (!are_alike(parameter, parameter.grad())) return false;
      for (const torch::Tensor& kept : kept_of(parameter)) {
        if (kept.defined() && !are_alike(parameter, kept)) return false;
      }
    }
  }
  return true;
}

void update_by_sgd(const Tensors& parameters, const Tensors& momentum_buffers,
                   const torch::optim::SGDOptions& options, bool is_first_step) {
  if (parameters.empty()) return;
  at::_fused_sgd_(parameters, gradients_of(parameters), momentum_buffers, options.weight_decay(),
                  options.momentum(), options.lr(), options.dampening(), options.nesterov(),
                  /*maximize=*/false, is_first_step);
}

void update_with_momentum(States& states, const Tensors& parameters,
                          const torch::optim::SGDOptions& options) {
  using State = torch::optim::SGDParamState;
  Tensors first, later, first_buffers, later_buffers;
  for (const torch::Tensor& parameter : parameters) {
    State* const state = state_of<State>(states, parameter);
    const bool is_first = state == nullptr || !state->momentum_buffer().defined();
    (is_first ? first : later).push_back(parameter);
    (is_first ? first_buffers : later_buffers)
        .push_back(is_first ? at::empty_like(parameter) : state->momentum_buffer());
  }
  update_by_sgd(later, later_buffers, options, /*is_first_step=*/false);
  update_by_sgd(first, first_buffers, options, /*is_first_step=*/true);
  for (std::size_t i = 0; i < first.size(); ++i) {
    auto made = std::make_unique<State>();
    made->momentum_buffer(first_buffers[i]);
    states[first[i].unsafeGetTensorImpl()] = std::move(made);
  }
}

/// The state of Adam and AdamW for a parameter, created if there is none yet.
template <typename State>
State& adam_state(States& states, const torch::Tensor& parameter, bool is_amsgrad) {
  if (State* const known = state_of<State>(states, parameter)) return *known;
  auto made = std::make_unique<State>();
  made->exp_avg(at::zeros_like(parameter));
  made->exp_avg_sq(at::zeros_like(parameter));
  if (is_amsgrad) made->max_exp_avg_sq(at::zeros_like(parameter));
  State& state = *made;
  states[parameter.unsafeGetTensorImpl()] = std::move(made);
  return state;
}

/// One step of Adam or AdamW over a group. `State` and `Options` are LibTorch's, `update` is the
/// fused operator.
template <typename State, typename Options, typename Update>
void update_group(States& states, const OptimizerParamGroup& group, const Update& update) {
  const auto& options = static_cast<const Options&>(group.options());
  const Tensors parameters = trained(group);
  if (parameters.empty()) return;
  Tensors averages, squares, most_squares, steps;
  std::vector<State*> kept;
  for (const torch::Tensor& parameter : parameters) {
    State& state = adam_state<State>(states, parameter, options.amsgrad());
    averages.push_back(state.exp_avg());
    squares.push_back(state.exp_avg_sq());
    if (options.amsgrad()) most_squares.push_back(state.max_exp_avg_sq());
    // Parameters that were trained for the same number of steps share one tensor.
    const bool is_shared = !kept.empty() && kept.back()->step() == state.step();
    steps.push_back(is_shared ? steps.back()
                              : at::full({}, static_cast<double>(state.step() + 1),
                                         parameter.options().dtype(at::kFloat)));
    kept.push_back(&state);
  }
  update(parameters, gradients_of(parameters), averages, squares, most_squares, steps, options.lr(),
         std::get<0>(options.betas()), std::get<1>(options.betas()), options.weight_decay(),
         options.eps(), options.amsgrad(), /*maximize=*/false, std::nullopt, std::nullopt);
  for (State* const state : kept) state->step(state->step() + 1);
}

/// Updates all groups. @return false, without effect, if the kernels cannot.
template <typename State, typename Options, typename Update>
bool update_by_adam(States& states, const std::vector<OptimizerParamGroup>& groups,
                    const Update& update) {
  const bool is_possible = is_fusable(groups, [&](const torch::Tensor& parameter) {
    const State* const state = state_of<State>(states, parameter);
    return state == nullptr
               ? Tensors()
               : Tensors{state->exp_avg(), state->exp_avg_sq(), state->max_exp_avg_sq()};
  });
  if (!is_possible) return false;
  for (const OptimizerParamGroup& group : groups) {
    update_group<State, Options>(states, group, update);
  }
  return true;
}

}  // namespace

torch::Tensor FusedSgd::step(LossClosure closure) {
  using State = torch::optim::SGDParamState;
  const at::NoGradGuard no_gradients;
  torch::Tensor loss = loss_of(closure);
  const bool is_possible = is_fusable(param_groups_, [this](const torch::Tensor& parameter) {
    const State* const state = state_of<State>(state_, parameter);
    return state == nullptr ? Tensors() : Tensors{state->momentum_buffer()};
  });
  if (!is_possible) {
    SGD::step();
    return loss;
  }
  for (const OptimizerParamGroup& group : param_groups_) {
    const auto& options = static_cast<const torch::optim::SGDOptions&>(group.options());
    if (options.momentum() != 0.0) {
      update_with_momentum(state_, trained(group), options);
    } else {
      update_by_sgd(trained(group), {}, options, /*is_first_step=*/false);
    }
  }
  return loss;
}

torch::Tensor FusedAdam::step(LossClosure closure) {
  const at::NoGradGuard no_gradients;
  torch::Tensor loss = loss_of(closure);
  const bool is_done = update_by_adam<torch::optim::AdamParamState, torch::optim::AdamOptions>(
      state_, param_groups_, [](auto&&... arguments) { at::_fused_adam_(arguments...); });
  if (!is_done) Adam::step();
  return loss;
}

torch::Tensor FusedAdamW::step(LossClosure closure) {
  const at::NoGradGuard no_gradients;
  torch::Tensor loss = loss_of(closure);
  const bool is_done = update_by_adam<torch::optim::AdamWParamState, torch::optim::AdamWOptions>(
      state_, param_groups_, [](auto&&... arguments) { at::_fused_adamw_(arguments...); });
  if (!is_done) AdamW::step();
  return loss;
}

}  // namespace runahead::train
