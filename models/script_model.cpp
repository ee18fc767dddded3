#include "models/script_model.h"

#include <torch/utils.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/number_text.h"

namespace runahead::models {
namespace {

torch::jit::Module load(const std::string& path) {
  try {
    return torch::jit::load(path, torch::kCPU);
  } catch (const std::exception& error) {
    throw ConfigError("/model/path: '" + path + "' cannot be loaded: " + first_line(error) +
                      "; allowed: a TorchScript file, as torch.jit.save writes it");
  }
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return "[" + comma_separated(shape) + "]";
}

std::int64_t elements_of(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// A module's parameter names must not contain dots.
std::string flat_name(std::string name) {
  std::replace(name.begin(), name.end(), '.', '/');
  return name;
}

}  // namespace

/// The script's tensors as a module of LibTorch's C++ API; both hold the same tensors. A tensor
/// that the script has under several names (tied weights) is registered under the first.
class ScriptModel::Parameters final : public torch::nn::Module {
 public:
  explicit Parameters(const torch::jit::Module& script) : script_(script) {
    std::unordered_set<c10::TensorImpl*> known;
    const auto is_new = [&known](const torch::Tensor& tensor) {
      return known.insert(tensor.unsafeGetTensorImpl()).second;
    };
    for (const auto& parameter : script.named_parameters()) {
      if (!is_new(parameter.value)) continue;
      register_parameter(flat_name(parameter.name), parameter.value,
                         parameter.value.requires_grad());
    }
    for (const auto& buffer : script.named_buffers()) {
      if (is_new(buffer.value)) register_buffer(flat_name(buffer.name), buffer.value);
    }
  }

  void train(bool on) override {
    torch::nn::Module::train(on);
    script_.train(on);
  }

 private:
  torch::jit::Module script_;
};

ScriptModel::ScriptModel(const config::ModelConfig& config,
                         const std::vector<std::int64_t>& example_shape, std::uint64_t seed)
    : script_(load(config.path)),
      parameters_(std::make_shared<Parameters>(script_)),
      input_shape_(config.input_shape.empty() ? example_shape : config.input_shape) {
  torch::manual_seed(seed);
  if (elements_of(input_shape_) != elements_of(example_shape)) {
    throw ConfigError("/model/input_shape: found " + shape_text(input_shape_) +
                      "; allowed: a shape of as many elements as an example has, " +
                      shape_text(example_shape));
  }
  parameters_->train(true);
}

ScriptModel::~ScriptModel() = default;

torch::nn::Module& ScriptModel::module() { return *parameters_; }

torch::Tensor ScriptModel::forward(const torch::Tensor& inputs) {
  std::vector<std::int64_t> shape{inputs.size(0)};
  shape.insert(shape.end(), input_shape_.begin(), input_shape_.end());
  torch::jit::IValue outputs = script_.forward({inputs.reshape(shape)});
  if (!outputs.isTensor()) {
    throw ConfigError("/model/path: the module returns " + outputs.tagKind() +
                      "; allowed: one tensor");
  }
  return std::move(outputs).toTensor();
}

}  // namespace runahead::models
