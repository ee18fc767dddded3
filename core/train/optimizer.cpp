#include "core/train/optimizer.h"

#include <utility>

#include "core/base/error.h"
#include "core/train/direct_sgd.h"
#include "core/train/fused_optimizer.h"

namespace runahead::train {

using config::OptimizerKind;

namespace {

template <typename Plain, typename Fused, typename Options>
std::unique_ptr<torch::optim::Optimizer> make(bool fused, std::vector<torch::Tensor> parameters,
                                              const Options& options) {
  if (fused) return std::make_unique<Fused>(std::move(parameters), options);
  return std::make_unique<Plain>(std::move(parameters), options);
}

}  // namespace

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const config::OptimizerConfig& config,
                                                        std::vector<torch::Tensor> parameters) {
  const bool fused = config.fused;
  switch (config.kind) {
    case OptimizerKind::kSgd:
      return make<DirectSgd, FusedSgd>(fused, std::move(parameters),
                                       torch::optim::SGDOptions(config.learning_rate)
                                           .momentum(config.momentum)
                                           .weight_decay(config.weight_decay));
    case OptimizerKind::kAdam:
      return make<torch::optim::Adam, FusedAdam>(
          fused, std::move(parameters),
          torch::optim::AdamOptions(config.learning_rate).weight_decay(config.weight_decay));
    case OptimizerKind::kAdamW:
      return make<torch::optim::AdamW, FusedAdamW>(
          fused, std::move(parameters),
          torch::optim::AdamWOptions(config.learning_rate).weight_decay(config.weight_decay));
  }
  throw UsageError("make_optimizer: the kind is out of its range");
}

void drop_gradients(torch::optim::Optimizer& optimizer) {
  for (const torch::optim::OptimizerParamGroup& group : optimizer.param_groups()) {
    for (const torch::Tensor& parameter : group.params()) parameter.mutable_grad().reset();
  }
}

std::uint64_t optimizer_state_bytes(const config::OptimizerConfig& config,
                                    const std::vector<torch::Tensor>& parameters) {
  std::uint64_t trained_bytes = 0;
  for (const torch::Tensor& parameter : parameters) {
    if (parameter.requires_grad()) trained_bytes += parameter.nbytes();
  }
  std::uint64_t state_tensors = 2;
  if (config.kind == OptimizerKind::kSgd) state_tensors = config.momentum == 0.0 ? 0 : 1;
  return trained_bytes * state_tensors;
}

}  // namespace runahead::train
