#pragma once

#include <torch/nn/module.h>
#include <torch/script.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/config/experiment_config.h"
#include "core/train/model.h"

namespace runahead::models {

/// A model that was written in Python: a TorchScript file, as `torch.jit.save` makes it. Loading it
/// runs code that the file holds, with the rights of this process.
///
/// Parameters and buffers start as the file has them; the seed matters only to what draws random
/// numbers, such as dropout.
class ScriptModel final : public train::Model {
 public:
  /// Reads config.path, on `cpu`.
  /// @param example_shape  Of one example's inputs. config.input_shape, if it is not empty, is what
  ///   the module takes instead: of as many elements.
  /// @throws ConfigError if the file cannot be read or is no TorchScript, or the shapes differ.
  ScriptModel(const config::ModelConfig& config, const std::vector<std::int64_t>& example_shape,
              std::uint64_t seed);
  ~ScriptModel() override;

  /// inputs (batch, …) → what the module returns. @throws ConfigError unless that is one tensor.
  torch::Tensor forward(const torch::Tensor& inputs) override;
  torch::nn::Module& module() override;

 private:
  class Parameters;

  torch::jit::Module script_;
  std::shared_ptr<Parameters> parameters_;
  std::vector<std::int64_t> input_shape_;
};

}  // namespace runahead::models
