#include "core/train/direct_sgd.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <utility>

namespace runahead::train {
namespace {

const torch::optim::SGDOptions& options_of(const torch::optim::OptimizerParamGroup& group) {
  return static_cast<const torch::optim::SGDOptions&>(group.options());
}

bool is_plain(const torch::optim::OptimizerParamGroup& group) {
  return options_of(group).momentum() == 0.0 && options_of(group).weight_decay() == 0.0;
}

}  // namespace

torch::Tensor DirectSgd::step(LossClosure closure) {
  if (closure != nullptr || !std::all_of(param_groups_.begin(), param_groups_.end(), is_plain)) {
    return SGD::step(std::move(closure));
  }
  const at::NoGradGuard no_gradients;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;  // Versions do not change, either.
  for (const torch::optim::OptimizerParamGroup& group : param_groups_) {
    const double rate = options_of(group).lr();
    for (const torch::Tensor& parameter : group.params()) {
      const torch::Tensor& gradient = parameter.grad();
      if (gradient.defined()) parameter.add_(gradient, -rate);
    }
  }
  return {};
}

}  // namespace runahead::train
