// Goal: recurrent layers and cells give on acpu the bits of the cpu, outputs, final states and
// gradients, for every shape of them. Method: the same parameters and inputs on both devices.
#include <torch/nn.h>

#include <functional>
#include <string>
#include <vector>

#include "core/device/device_fixture.h"
#include "core/device/engine_settings.h"

namespace runahead::device {
namespace {

namespace nn = torch::nn;
using at::Tensor;
using Tensors = std::vector<Tensor>;

constexpr std::int64_t kFeatures = 3;
constexpr std::int64_t kHidden = 4;

// Runs a network on a batch-first input of 3 sequences of 5 steps.
struct RecurrentCase {
  std::string name;
  std::function<Tensors(const torch::Device& device, const Tensor& input)> run;
};

void add_gradients(nn::Module& module, const Tensors& outputs, Tensors& results) {
  Tensor sum = outputs[0].square().sum();
  for (std::size_t i = 1; i < outputs.size(); ++i) sum = sum + outputs[i].sum();
  sum.backward();
  for (const Tensor& output : outputs) results.push_back(output.detach());
  for (const Tensor& parameter : module.parameters()) results.push_back(parameter.grad());
}

// Making the parameters has drawn from the cpu's generator: dropout starts anew.
void place_and_seed(nn::Module& module, const torch::Device& device) {
  place(module, device.str());
  torch::manual_seed(8);
}

template <typename Network, typename Options>
RecurrentCase dense(const std::string& name, const Options& options) {
  return {name, [options](const torch::Device& device, const Tensor& input) {
            Network network(options);
            place_and_seed(*network, device);
            const auto [output, state] = network->forward(input);
            Tensors outputs{output};
            if constexpr (std::is_same_v<std::decay_t<decltype(state)>, Tensor>) {
              outputs.push_back(state);
            } else {
              outputs.push_back(std::get<0>(state));
              outputs.push_back(std::get<1>(state));
            }
            Tensors results;
            add_gradients(*network, outputs, results);
            return results;
          }};
}

template <typename Network, typename Options>
RecurrentCase packed(const std::string& name, const Options& options) {
  return {name, [options](const torch::Device& device, const Tensor& input) {
            Network network(options);
            place_and_seed(*network, device);
            const auto sequence = nn::utils::rnn::pack_padded_sequence(
                input, torch::tensor({5, 2, 4}), /*batch_first=*/true, /*enforce_sorted=*/false);
            const auto result = network->forward_with_packed_input(sequence);
            const auto unpacked =
                nn::utils::rnn::pad_packed_sequence(std::get<0>(result), /*batch_first=*/true);
            Tensors results;
            add_gradients(*network, {std::get<0>(unpacked)}, results);
            return results;
          }};
}

template <typename Cell>
RecurrentCase cell(const std::string& name) {
  return {name, [](const torch::Device& device, const Tensor& input) {
            Cell network(kFeatures, kHidden);
            place_and_seed(*network, device);
            const auto state = network->forward(input.select(1, 0));
            Tensors outputs;
            if constexpr (std::is_same_v<std::decay_t<decltype(state)>, Tensor>) {
              outputs = {state};
            } else {
              outputs = {std::get<0>(state), std::get<1>(state)};
            }
            Tensors results;
            add_gradients(*network, outputs, results);
            return results;
          }};
}

std::vector<RecurrentCase> recurrent_cases() {
  const auto lstm = nn::LSTMOptions(kFeatures, kHidden).batch_first(true);
  const auto gru = nn::GRUOptions(kFeatures, kHidden).batch_first(true);
  const auto rnn = nn::RNNOptions(kFeatures, kHidden).batch_first(true);
  const auto in_both_directions = [](auto options) { return options.bidirectional(true); };
  const auto in_two_layers = [](auto options) { return options.num_layers(2).dropout(0.3); };
  const auto without_bias = [](auto options) { return options.bias(false); };
  return {dense<nn::LSTM>("Lstm", lstm),
          dense<nn::LSTM>("LstmInBothDirections", in_both_directions(lstm)),
          dense<nn::LSTM>("LstmInTwoLayers", in_two_layers(lstm)),
          dense<nn::LSTM>("LstmWithoutBias", without_bias(lstm)),
          dense<nn::LSTM>("LstmWithProjection", nn::LSTMOptions(lstm).proj_size(2)),
          packed<nn::LSTM>("LstmPacked", lstm),
          packed<nn::LSTM>("LstmPackedInBothDirections", in_both_directions(lstm)),
          dense<nn::GRU>("Gru", gru),
          dense<nn::GRU>("GruInBothDirections", in_both_directions(gru)),
          dense<nn::GRU>("GruInTwoLayers", in_two_layers(gru)),
          dense<nn::GRU>("GruWithoutBias", without_bias(gru)),
          packed<nn::GRU>("GruPacked", in_both_directions(in_two_layers(gru))),
          dense<nn::RNN>("Tanh", rnn),
          dense<nn::RNN>("Relu", nn::RNNOptions(rnn).nonlinearity(torch::kReLU)),
          packed<nn::RNN>("TanhPacked", rnn),
          cell<nn::LSTMCell>("LstmCell"),
          cell<nn::GRUCell>("GruCell"),
          cell<nn::RNNCell>("TanhCell")};
}

Tensors run(const RecurrentCase& network, const torch::Device& device) {
  torch::manual_seed(7);
  const Tensor input = torch::randn({3, 5, kFeatures}).to(device);
  return network.run(device, input);
}

class Recurrent : public DeviceTest, public ::testing::WithParamInterface<EngineSetting> {};

TEST_P(Recurrent, GivesTheBitsOfTheCpuWithoutAHiddenWait) {
  configure(GetParam().options);

  for (const RecurrentCase& network : recurrent_cases()) {
    SCOPED_TRACE(network.name);
    (void)run(network, acpu_);
    reset_peaks();
    const Tensors actual = run(network, acpu_);
    EXPECT_EQ(blocking_operators(), (std::map<std::string, std::uint64_t>{}));
    const Tensors expected = run(network, torch::kCPU);

    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      EXPECT_TRUE(is_bit_equal(actual[i], expected[i])) << "result " << i;
    }
  }
}

TEST_F(DeviceTest, RecurrentLayerRefusesAWrongNumberOfParameters) {
  const Tensor input = torch::ones({2, 3, 4}, acpu_);
  const Tensor state = torch::ones({1, 3, 4}, acpu_);

  EXPECT_THROW(torch::gru(input, state, {state, state, state}, true, 1, 0.0, true, false, false),
               c10::Error);
}

INSTANTIATE_TEST_SUITE_P(Engines, Recurrent, ::testing::ValuesIn(threaded_engine_settings()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace runahead::device
