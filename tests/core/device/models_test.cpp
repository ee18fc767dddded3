// Goal: models that people train give on acpu the losses that they give on cpu, without a hidden
// wait, whatever the workers, their order and the allocation model. Method: train each for 20 steps
// on both devices from the same seed and compare every loss and, at the end, every parameter; count
// blocking operators from the second step on.
#include <torch/nn.h>
#include <torch/optim.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/device/device_fixture.h"
#include "core/device/engine_settings.h"

namespace runahead::device {
namespace {

namespace nn = torch::nn;

constexpr int kSteps = 20;

// A model and what it is trained on.
struct Task {
  std::shared_ptr<nn::Module> module;
  std::vector<at::Tensor> data;  // On the host.
  std::function<at::Tensor(const std::vector<at::Tensor>&)> loss;
  std::set<std::string> waits = {};  // Operators that must block.
};

Task convolutional_network() {
  nn::Sequential model(nn::Conv2d(nn::Conv2dOptions(1, 4, 3).padding(1)), nn::BatchNorm2d(4),
                       nn::ReLU(), nn::MaxPool2d(2), nn::Conv2d(4, 8, 3), nn::BatchNorm2d(8),
                       nn::ReLU(), nn::MaxPool2d(2), nn::Flatten(), nn::Linear(32, 5));
  return {model.ptr(),
          {torch::randn({8, 1, 12, 12}), torch::randint(5, {8}, torch::kLong)},
          [model](const auto& data) mutable {
            return torch::cross_entropy_loss(model->forward(data[0]), data[1]);
          }};
}

template <typename Recurrent>
Task recurrent_network(Recurrent recurrent) {
  nn::Linear head(8, 1);
  auto module = std::make_shared<nn::Module>();
  module->register_module("recurrent", recurrent);
  module->register_module("head", head);
  return {module,
          {torch::randn({4, 7, 3}), torch::randn({4, 7, 1})},
          [recurrent, head](const auto& data) mutable {
            const at::Tensor hidden = std::get<0>(recurrent->forward(data[0]));
            return torch::mse_loss(head->forward(hidden), data[1]);
          }};
}

Task lstm() {
  return recurrent_network(
      nn::LSTM(nn::LSTMOptions(3, 8).num_layers(2).batch_first(true).dropout(0.2)));
}

Task gru() {
  return recurrent_network(nn::GRU(nn::GRUOptions(3, 8).num_layers(2).batch_first(true)));
}

Task bidirectional_gru() {
  return recurrent_network(nn::GRU(nn::GRUOptions(3, 4).bidirectional(true).batch_first(true)));
}

// Attention and a feed-forward network, each with a residual, as in "Attention Is All You Need".
struct EncoderLayerImpl : nn::Module {
  explicit EncoderLayerImpl(double dropout)
      : projection(register_module("projection", nn::Linear(8, 24))),
        output(register_module("output", nn::Linear(8, 8))),
        first(register_module("first", nn::Linear(8, 16))),
        second(register_module("second", nn::Linear(16, 8))),
        attention_norm(register_module("attention_norm", nn::LayerNorm(std::vector<int64_t>{8}))),
        network_norm(register_module("network_norm", nn::LayerNorm(std::vector<int64_t>{8}))),
        probability(dropout) {}

  at::Tensor forward(const at::Tensor& input) {
    const auto heads = projection(input).view({3, 6, 2, 12}).transpose(1, 2).chunk(3, -1);
    const at::Tensor attended = torch::scaled_dot_product_attention(
        heads[0], heads[1], heads[2], {}, probability, /*is_causal=*/true);
    const at::Tensor mixed = output(attended.transpose(1, 2).reshape({3, 6, 8}));
    const at::Tensor x = attention_norm(input + torch::dropout(mixed, probability, true));
    const at::Tensor hidden = torch::dropout(torch::relu(first(x)), probability, true);
    return network_norm(x + torch::dropout(second(hidden), probability, true));
  }

  nn::Linear projection, output, first, second;
  nn::LayerNorm attention_norm, network_norm;
  double probability;
};
TORCH_MODULE(EncoderLayer);

Task sequence_task(const std::shared_ptr<nn::Module>& module,
                   const std::function<at::Tensor(const at::Tensor&)>& forward) {
  return {module, {torch::randn({3, 6, 8}), torch::randn({3, 6, 8})}, [forward](const auto& data) {
            return torch::mse_loss(forward(data[0]), data[1]);
          }};
}

Task transformer(double dropout) {
  nn::Sequential layers{EncoderLayer{dropout}, EncoderLayer{dropout}};
  return sequence_task(layers.ptr(),
                       [layers](const at::Tensor& x) mutable { return layers->forward(x); });
}

// LibTorch's C++ attention asks whether query, key and value are equal, which waits for them.
Task transformer_of_libtorch() {
  nn::TransformerEncoder encoder(nn::TransformerEncoderOptions(
      nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(16).dropout(0.2), 2));
  Task task = sequence_task(encoder.ptr(),
                            [encoder](const at::Tensor& x) mutable { return encoder->forward(x); });
  task.waits = {"aten::equal"};
  return task;
}

Task normalised_mlp() {
  nn::Sequential model(nn::Linear(8, 16), nn::LayerNorm(nn::LayerNormOptions({16})), nn::GELU(),
                       nn::Dropout(0.3), nn::Linear(16, 1));
  return {model.ptr(),
          {torch::randn({16, 8}), torch::randn({16, 1})},
          [model](const auto& data) mutable {
            return torch::mse_loss(model->forward(data[0]), data[1]);
          }};
}

struct ModelCase {
  friend void PrintTo(const ModelCase& model, std::ostream* out) { *out << model.name; }

  std::string name;
  std::function<Task()> make;
};

struct Trained {
  std::vector<at::Tensor> losses;
  std::vector<at::Tensor> parameters;
  std::set<std::string> expected_waits;
};

Trained train(const ModelCase& model, const torch::Device& device) {
  torch::manual_seed(3);
  Task task = model.make();
  place(*task.module, device.str());
  for (at::Tensor& tensor : task.data) tensor = tensor.to(device);
  torch::optim::SGD optimizer(task.module->parameters(),
                              torch::optim::SGDOptions(0.05).momentum(0.9));
  torch::manual_seed(4);
  Trained trained;
  for (int step = 0; step < kSteps; ++step) {
    optimizer.zero_grad();
    const at::Tensor loss = task.loss(task.data);
    loss.backward();
    optimizer.step();
    trained.losses.push_back(loss.detach());
    if (device.type() == at::kPrivateUse1 && step == 0) reset_peaks();
  }
  trained.parameters = task.module->parameters();
  trained.expected_waits = task.waits;
  return trained;
}

class Models : public DeviceTest,
               public ::testing::WithParamInterface<std::tuple<ModelCase, EngineSetting>> {};

TEST_P(Models, TrainAsOnCpuWithoutAHiddenWait) {
  const auto& [model, setting] = GetParam();
  configure(setting.options);

  const Trained actual = train(model, acpu_);
  std::set<std::string> waits;
  for (const auto& [name, count] : blocking_operators()) waits.insert(name);
  EXPECT_EQ(waits, actual.expected_waits);
  const Trained expected = train(model, torch::kCPU);

  for (std::size_t i = 0; i < expected.losses.size(); ++i) {
    EXPECT_TRUE(is_bit_equal(actual.losses[i], expected.losses[i])) << "step " << i;
  }
  for (std::size_t i = 0; i < expected.parameters.size(); ++i) {
    EXPECT_TRUE(is_bit_equal(actual.parameters[i].detach(), expected.parameters[i].detach()))
        << "parameter " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Models,
    ::testing::Combine(
        ::testing::Values(ModelCase{"ConvolutionalNetwork", convolutional_network},
                          ModelCase{"Lstm", lstm}, ModelCase{"Gru", gru},
                          ModelCase{"BidirectionalGru", bidirectional_gru},
                          ModelCase{"Transformer", [] { return transformer(0.0); }},
                          ModelCase{"TransformerWithDropout", [] { return transformer(0.2); }},
                          ModelCase{"TransformerOfLibtorch", transformer_of_libtorch},
                          ModelCase{"NormalisedMlp", normalised_mlp}),
        ::testing::ValuesIn(threaded_engine_settings())),
    [](const auto& test) { return std::get<0>(test.param).name + std::get<1>(test.param).name; });

INSTANTIATE_TEST_SUITE_P(AllocationModels, Models,
                         ::testing::Combine(::testing::Values(ModelCase{"NormalisedMlp",
                                                                        normalised_mlp}),
                                            ::testing::ValuesIn(allocation_settings())),
                         [](const auto& test) { return std::get<1>(test.param).name; });

}  // namespace
}  // namespace runahead::device
