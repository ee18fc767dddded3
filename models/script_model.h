#pragma once

#include <torch/nn/module.h>
#include <torch/script.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/config/experiment_config.h"
#include "core/train/model.h"

namespace runahead::models {

/// A model written in Python: a TorchScript file, as written by `torch.jit.save`. Loading it runs
/// code in the file with the rights of this process.
///
/// Parameters and buffers start with the file's values; the seed matters only for operations that
/// draw random numbers, such as dropout.
class ScriptModel final : public train::Model {
 public:
  /// Reads config.path, on `cpu`.
  /// @param example_shape  Shape of one example's inputs. If config.input_shape is not empty, the
  ///   module takes that shape instead; it must have as many elements.
  /// @throws ConfigError if the file cannot be read or is not TorchScript, or if the shapes differ
  ///   in their number of elements.
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
