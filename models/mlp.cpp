#include "models/mlp.h"

#include <torch/nn/init.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/utils.h>

#include "core/base/error.h"

namespace runahead::models {
namespace {

constexpr double kGluonBound = 0.07;

void append_activation(torch::nn::Sequential& layers, config::Activation activation) {
  using config::Activation;
  switch (activation) {
    case Activation::kRelu:
      return layers->push_back(torch::nn::ReLU());
    case Activation::kGelu:
      return layers->push_back(torch::nn::GELU());
    case Activation::kTanh:
      return layers->push_back(torch::nn::Tanh());
    case Activation::kSigmoid:
      return layers->push_back(torch::nn::Sigmoid());
    case Activation::kSilu:
      return layers->push_back(torch::nn::SiLU());
    case Activation::kElu:
      return layers->push_back(torch::nn::ELU());
    case Activation::kLeakyRelu:
      return layers->push_back(torch::nn::LeakyReLU());
    case Activation::kSoftplus:
      return layers->push_back(torch::nn::Softplus());
    case Activation::kNone:
      return;
  }
  throw UsageError("Mlp: the activation is out of its range");
}

/// Appends what follows a layer of the given width, unless it is the last.
void append_between(torch::nn::Sequential& layers, const config::ModelConfig& config,
                    std::int64_t width) {
  if (config.normalization == config::Normalization::kBatch) {
    layers->push_back(torch::nn::BatchNorm1d(width));
  }
  if (config.normalization == config::Normalization::kLayer) {
    layers->push_back(torch::nn::LayerNorm(torch::nn::LayerNormOptions({width})));
  }
  append_activation(layers, config.activation);
  if (config.dropout > 0.0) layers->push_back(torch::nn::Dropout(config.dropout));
}

void init_as_gluon(torch::nn::Linear& linear) {
  torch::nn::init::uniform_(linear->weight, -kGluonBound, kGluonBound);
  torch::nn::init::zeros_(linear->bias);
}

}  // namespace

Mlp::Mlp(const config::ModelConfig& config, std::int64_t features, std::uint64_t seed) {
  RUNAHEAD_REQUIRE(!config.layers.empty(), "a model needs at least one layer");
  torch::manual_seed(seed);
  std::int64_t width = features;
  for (const std::int64_t layer_width : config.layers) {
    if (!layers_->is_empty()) append_between(layers_, config, width);
    torch::nn::Linear linear(width, layer_width);
    if (config.init == config::ModelInit::kGluon) init_as_gluon(linear);
    layers_->push_back(linear);
    width = layer_width;
  }
}

torch::Tensor Mlp::forward(const torch::Tensor& inputs) {
  return layers_->forward(inputs.dim() == 2 ? inputs : inputs.reshape({inputs.size(0), -1}));
}

}  // namespace runahead::models
