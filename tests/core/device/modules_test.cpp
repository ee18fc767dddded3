// Modules and tensors on their way between cpu and acpu: place, clone, save and load.
#include <torch/nn.h>
#include <torch/optim.h>
#include <torch/serialize.h>

#include <sstream>

#include "core/device/device_fixture.h"

namespace runahead::device {
namespace modules_test {

namespace nn = torch::nn;
using at::Tensor;

using Modules = DeviceTest;

nn::Sequential make_module() {
  return nn::Sequential(nn::Linear(3, 4), nn::BatchNorm1d(4), nn::Linear(4, 1));
}

void expect_equal_state(nn::Sequential& actual, nn::Sequential& expected) {
  const auto compare = [](const auto& left, const auto& right) {
    ASSERT_EQ(left.size(), right.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
      EXPECT_TRUE(is_bit_equal(left[i].detach(), right[i].detach())) << i;
    }
  };
  compare(actual->parameters(), expected->parameters());
  compare(actual->buffers(), expected->buffers());
}

TEST_F(Modules, ModuleThatWasTrainedOnCpuTrainsOnOnTheDevice) {
  const auto train = [](nn::Sequential& model, torch::optim::SGD& optimizer,
                        const torch::Device& device) {
    const Tensor input = torch::linspace(-1, 1, 12).view({4, 3}).to(device);
    model->forward(input).square().sum().backward();
    optimizer.step();
  };
  torch::manual_seed(1);
  nn::Sequential expected = make_module();
  torch::manual_seed(1);
  nn::Sequential actual = make_module();
  const auto options = torch::optim::SGDOptions(0.1);
  torch::optim::SGD expected_optimizer(expected->parameters(), options);
  torch::optim::SGD actual_optimizer(actual->parameters(), options);

  // Gradients are not set to zero between: they accumulate across the placements.
  train(expected, expected_optimizer, torch::kCPU);
  train(actual, actual_optimizer, torch::kCPU);
  place(*actual, "acpu");
  train(expected, expected_optimizer, torch::kCPU);
  train(actual, actual_optimizer, acpu_);
  expect_equal_state(actual, expected);
  place(*actual, "cpu");
  train(expected, expected_optimizer, torch::kCPU);
  train(actual, actual_optimizer, torch::kCPU);

  expect_equal_state(actual, expected);
  EXPECT_TRUE(actual->parameters()[0].is_cpu());
}

TEST_F(Modules, SavedOptimizerIsLoadedOnTheDevice) {
  nn::Linear model(3, 2);
  place(*model, "acpu");
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(0.1));
  const auto step = [&] {
    optimizer.zero_grad();
    model->forward(torch::ones({1, 3}, acpu_)).sum().backward();
    optimizer.step();
  };
  step();
  std::stringstream saved;
  torch::save(optimizer, saved);
  const Tensor before = model->weight.detach().clone();
  step();
  const Tensor expected = model->weight.detach().clone();

  torch::load(optimizer, saved, acpu_);
  {
    const torch::NoGradGuard no_grad;
    model->weight.copy_(before);
  }
  step();

  EXPECT_TRUE(is_bit_equal(model->weight.detach(), expected));
}

}  // namespace modules_test
}  // namespace runahead::device
