#include "core/train/optimizer.h"

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <utility>

#include "core/base/error.h"

namespace runahead::train {

using config::OptimizerKind;

std::unique_ptr<torch::optim::Optimizer> make_optimizer(const config::OptimizerConfig& config,
                                                        std::vector<torch::Tensor> parameters) {
  switch (config.kind) {
    case OptimizerKind::kSgd:
      return std::make_unique<torch::optim::SGD>(std::move(parameters),
                                                 torch::optim::SGDOptions(config.learning_rate)
                                                     .momentum(config.momentum)
                                                     .weight_decay(config.weight_decay));
    case OptimizerKind::kAdam:
      return std::make_unique<torch::optim::Adam>(
          std::move(parameters),
          torch::optim::AdamOptions(config.learning_rate).weight_decay(config.weight_decay));
    case OptimizerKind::kAdamW:
      return std::make_unique<torch::optim::AdamW>(
          std::move(parameters),
          torch::optim::AdamWOptions(config.learning_rate).weight_decay(config.weight_decay));
  }
  throw UsageError("make_optimizer: the kind is out of its range");
}

std::uint64_t trained_state_bytes(const config::OptimizerConfig& config,
                                  const std::vector<torch::Tensor>& parameters) {
  std::uint64_t parameter_bytes = 0;
  for (const torch::Tensor& parameter : parameters) parameter_bytes += parameter.nbytes();
  std::uint64_t state_tensors = 2;
  if (config.kind == OptimizerKind::kSgd) state_tensors = config.momentum == 0.0 ? 0 : 1;
  return parameter_bytes * (1 + state_tensors);
}

}  // namespace runahead::train
