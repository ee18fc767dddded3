// Goal: models that people train give on acpu the losses that they give on cpu, without a hidden
// wait, whatever the workers, their order, the streams and the allocation model. Method: train each
// for 20 steps on both devices from the same seed and compare every loss and, at the end, all that
// the module has; count blocking operators from the second step on. The first gradients come from
// cpu, the state of the optimiser is saved and loaded half-way, and the module goes back to cpu.
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <torch/nn.h>
#include <torch/optim.h>
#include <torch/serialize.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/device/device_fixture.h"

namespace runahead::device {
namespace models_test {

namespace nn = torch::nn;

constexpr int kSteps = 20;

/// A way to run the device's operations, as the parameter of a test.
struct EngineSetting {
  friend void PrintTo(const EngineSetting& setting, std::ostream* out) { *out << setting.name; }

  std::string name;
  DeviceOptions options;
  bool uses_streams = false;
};

/// Each allocation model with up to `most_workers` workers and both ready orders.
std::vector<EngineSetting> engine_settings(const std::vector<Allocation>& allocations,
                                           int most_workers) {
  std::vector<EngineSetting> settings;
  for (const Allocation allocation : allocations) {
    for (int workers = 1; workers <= most_workers; ++workers) {
      for (const auto& [order, ready_order] :
           {std::pair("OldestFirst", engine::ReadyOrder::kOldestFirst),
            std::pair("FirstReady", engine::ReadyOrder::kFirstReady)}) {
        settings.push_back(
            {allocation_name(allocation) + std::to_string(workers) + order,
             {.workers = workers, .ready_order = ready_order, .allocation = allocation}});
      }
    }
    settings.push_back({allocation_name(allocation) + "Streams",
                        {.workers = 2, .allocation = allocation},
                        /*uses_streams=*/true});
  }
  return settings;
}

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

Task bidirectional_gru() {
  return recurrent_network(nn::GRU(nn::GRUOptions(3, 4).bidirectional(true).batch_first(true)));
}

/// Sequences of different lengths, packed.
Task packed_lstm() {
  nn::LSTM lstm(nn::LSTMOptions(3, 4).bidirectional(true).batch_first(true));
  return {lstm.ptr(), {torch::randn({4, 7, 3})}, [lstm](const auto& data) mutable {
            const auto packed = nn::utils::rnn::pack_padded_sequence(
                data[0], torch::tensor({7, 2, 5, 5}), /*batch_first=*/true,
                /*enforce_sorted=*/false);
            const auto [output, state] = lstm->forward_with_packed_input(packed);
            return output.data().square().sum() + std::get<0>(state).sum();
          }};
}

// LibTorch's C++ attention asks whether query, key and value are equal, which waits for them.
Task transformer() {
  nn::TransformerEncoder encoder(nn::TransformerEncoderOptions(
      nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(16).dropout(0.2), 2));
  return {encoder.ptr(),
          {torch::randn({3, 6, 8}), torch::randn({3, 6, 8})},
          [encoder](const auto& data) mutable {
            return torch::mse_loss(encoder->forward(data[0]), data[1]);
          },
          {"aten::equal"}};
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
  std::vector<at::Tensor> state;  ///< Parameters, their gradients and buffers.
  std::set<std::string> expected_waits;
};

/// The streams that make the batch of a step and that train on it.
class StepStreams {
 public:
  StepStreams(const torch::Device& device, bool are_several) {
    const c10::impl::VirtualGuardImpl guard(device.type());
    streams_.assign(3, guard.getStream(device));
    if (!are_several) return;
    for (const std::size_t side : {1U, 2U}) streams_[side] = guard.getStreamFromGlobalPool(device);
  }
  [[nodiscard]] const c10::Stream& source(int step) const { return of(step); }
  [[nodiscard]] const c10::Stream& trains(int step) const { return of(step + 1 + step / 3 % 2); }

 private:
  [[nodiscard]] const c10::Stream& of(int number) const {
    return streams_[static_cast<std::size_t>(number) % streams_.size()];
  }
  std::vector<c10::Stream> streams_;
};

Trained train(const ModelCase& model, const torch::Device& device, bool uses_streams) {
  torch::manual_seed(3);
  Task task = model.make();
  torch::optim::SGD optimizer(task.module->parameters(),
                              torch::optim::SGDOptions(0.05).momentum(0.9));
  task.loss(task.data).backward();
  place(*task.module, device.str());
  for (at::Tensor& tensor : task.data) tensor = tensor.to(device);
  const StepStreams streams(device, uses_streams);
  torch::manual_seed(4);
  Trained trained;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<at::Tensor> batch = task.data;
    {
      const c10::StreamGuard on_source(streams.source(step));
      batch[0] = batch[0] + torch::randn_like(batch[0]);
    }
    const c10::StreamGuard on_stream(streams.trains(step));
    if (uses_streams && step % 2 == 0) {
      c10::Event made(device.type());
      made.record(streams.source(step));
      streams.trains(step).wait(made);
    }
    if (step > 0) optimizer.zero_grad();
    const at::Tensor loss = task.loss(batch);
    loss.backward();
    optimizer.step();
    trained.losses.push_back(loss.detach());
    if (device.type() == at::kPrivateUse1 && step == 0) reset_peaks();
    if (step != kSteps / 2) continue;
    std::stringstream saved;
    torch::save(optimizer, saved);
    torch::load(optimizer, saved, device);
  }
  place(*task.module, "cpu");
  for (const at::Tensor& parameter : task.module->parameters()) {
    trained.state.push_back(parameter.detach());
    trained.state.push_back(parameter.grad());
  }
  for (const at::Tensor& buffer : task.module->buffers()) trained.state.push_back(buffer);
  trained.expected_waits = task.waits;
  return trained;
}

/// The same whatever the engine: each model is trained there once.
const Trained& trained_on_cpu(const ModelCase& model) {
  static std::map<std::string, Trained> known;
  const auto [trained, is_new] = known.try_emplace(model.name);
  if (is_new) trained->second = train(model, torch::kCPU, /*uses_streams=*/false);
  return trained->second;
}

class Models : public DeviceTest,
               public ::testing::WithParamInterface<std::tuple<ModelCase, EngineSetting>> {};

TEST_P(Models, TrainAsOnCpuWithoutAHiddenWait) {
  const auto& [model, setting] = GetParam();
  configure(setting.options);

  const Trained actual = train(model, acpu_, setting.uses_streams);
  std::set<std::string> waits;
  for (const auto& [name, count] : blocking_operators()) waits.insert(name);
  EXPECT_EQ(waits, actual.expected_waits);
  const Trained& expected = trained_on_cpu(model);

  for (std::size_t i = 0; i < expected.losses.size(); ++i) {
    EXPECT_TRUE(is_bit_equal(actual.losses[i], expected.losses[i])) << "step " << i;
  }
  for (std::size_t i = 0; i < expected.state.size(); ++i) {
    EXPECT_TRUE(actual.state[i].is_cpu());
    EXPECT_TRUE(is_bit_equal(actual.state[i], expected.state[i])) << "state " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Models,
    ::testing::Combine(::testing::Values(ModelCase{"ConvolutionalNetwork", convolutional_network},
                                         ModelCase{"Lstm", lstm},
                                         ModelCase{"BidirectionalGru", bidirectional_gru},
                                         ModelCase{"PackedLstm", packed_lstm},
                                         ModelCase{"Transformer", transformer},
                                         ModelCase{"NormalisedMlp", normalised_mlp}),
                       ::testing::ValuesIn(engine_settings({Allocation::kAtExecution}, 2))),
    [](const auto& test) { return std::get<0>(test.param).name + std::get<1>(test.param).name; });

INSTANTIATE_TEST_SUITE_P(
    AllocationModels, Models,
    ::testing::Combine(
        ::testing::Values(ModelCase{"NormalisedMlp", normalised_mlp}),
        ::testing::ValuesIn(engine_settings({Allocation::kAtIssue, Allocation::kInStreamOrder,
                                             Allocation::kCaching, Allocation::kAtExecution},
                                            4))),
    [](const auto& test) { return std::get<1>(test.param).name; });

using Autograd = DeviceTest;

at::Tensor leaf(const torch::Device& device, at::IntArrayRef sizes) {
  torch::manual_seed(9);
  return torch::randn(sizes).to(device, false, /*copy=*/true).requires_grad_();
}

// Whether autograd adds in place or steals a gradient depends on use counts: the queue must not
// change them.
TEST_F(Autograd, GradientsDoNotDependOnWhatIsStillQueued) {
  const auto gradients = [this](bool is_held) {
    const at::Tensor x = leaf(acpu_, {8, 8});
    const at::Tensor w = leaf(acpu_, {8, 8});
    std::optional<WorkerGate> gate;
    if (is_held) gate.emplace();
    for (int pass = 0; pass < 3; ++pass) {
      const at::Tensor hidden = x.mm(w);
      (hidden.relu() * hidden + hidden.mm(w)).sum().backward();
      if (!is_held) synchronize();
    }
    return std::vector<at::Tensor>{x.grad(), w.grad(), torch::tensor(x.grad().use_count() == 1)};
  };

  const std::vector<at::Tensor> held = gradients(true);
  const std::vector<at::Tensor> drained = gradients(false);

  for (std::size_t i = 0; i < held.size(); ++i) EXPECT_TRUE(is_bit_equal(held[i], drained[i]));
}

}  // namespace models_test
}  // namespace runahead::device
