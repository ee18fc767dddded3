#pragma once

#include <torch/nn/module.h>
#include <torch/types.h>

#include <cstdint>
#include <vector>

namespace runahead::train {

/// The model being trained. Used by the front end's thread only; independent of losses and targets.
class Model {
 public:
  virtual ~Model() = default;

  /// Predictions (batch, outputs) for `inputs` (batch, features), on the device of the parameters.
  virtual torch::Tensor forward(const torch::Tensor& inputs) = 0;

  /// The module that holds parameters and buffers: made on `cpu`, placed by the training loop.
  virtual torch::nn::Module& module() = 0;

  /// Parameters, in the order of registration.
  [[nodiscard]] std::vector<torch::Tensor> parameters() { return module().parameters(); }

  /// Bytes of the parameters and buffers.
  [[nodiscard]] std::uint64_t bytes() {
    std::uint64_t bytes = 0;
    for (const torch::Tensor& parameter : module().parameters()) bytes += parameter.nbytes();
    for (const torch::Tensor& buffer : module().buffers()) bytes += buffer.nbytes();
    return bytes;
  }
};

}  // namespace runahead::train
