#pragma once

#include <torch/nn/modules/container/sequential.h>

#include <cstdint>

#include "core/config/experiment_config.h"
#include "core/train/model.h"

namespace runahead::models {

/// A multilayer perceptron: Linear layers with the config's normalisation, activation and dropout
/// between them, and nothing after the last.
///
/// Created on `cpu` in float32. `init` torch: LibTorch's (uniform in ±1/√features, including the
/// bias); gluon: weights uniform in ±0.07, zero bias.
class Mlp final : public train::Model {
 public:
  /// Seeds LibTorch's default generators with `seed`, so that equal seeds give equal parameters.
  /// @param features  Width of the inputs, >= 1; config.layers holds the output widths.
  Mlp(const config::ModelConfig& config, std::int64_t features, std::uint64_t seed);

  /// inputs (batch, …) of `features` elements each → (batch, last layer's width).
  torch::Tensor forward(const torch::Tensor& inputs) override;
  torch::nn::Module& module() override { return *layers_; }

 private:
  torch::nn::Sequential layers_{};
};

}  // namespace runahead::models
