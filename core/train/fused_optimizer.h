#pragma once

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>
#include <torch/types.h>

namespace runahead::train {

/// LibTorch's optimisers, with a step that updates all parameters of a group in one operation:
/// `aten::_fused_sgd_`, `aten::_fused_adam_`, `aten::_fused_adamw_`. State, options and files are
/// those of the base class. In float32 on `cpu` and `acpu`, SGD without momentum matches the base
/// class bit for bit; the others round at different points. If a gradient or the state does not
/// have its parameter's memory layout, the base class performs the step.
///
/// All parameters must have the same device and the same floating-point type. step() never waits;
/// the closure, if any, is called first, as in LibTorch.
class FusedSgd final : public torch::optim::SGD {
 public:
  using SGD::SGD;
  torch::Tensor step(LossClosure closure = nullptr) override;
};

class FusedAdam final : public torch::optim::Adam {
 public:
  using Adam::Adam;
  torch::Tensor step(LossClosure closure = nullptr) override;
};

class FusedAdamW final : public torch::optim::AdamW {
 public:
  using AdamW::AdamW;
  torch::Tensor step(LossClosure closure = nullptr) override;
};

}  // namespace runahead::train
