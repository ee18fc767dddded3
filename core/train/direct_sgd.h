#pragma once

#include <torch/optim/sgd.h>
#include <torch/types.h>

namespace runahead::train {

/// LibTorch's SGD with a cheaper step where there is no closure, momentum or weight decay: it
/// updates each parameter itself instead of a temporary view of it. The operations, their results,
/// state, options and files are those of the base class. step() never waits.
class DirectSgd final : public torch::optim::SGD {
 public:
  using SGD::SGD;
  torch::Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace runahead::train
