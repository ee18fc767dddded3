// Training on `acpu` gives the losses and parameters of `cpu`, bit by bit: every optimiser, with
// every activation and loss, for one and two workers and both ready orders. With one optimiser,
// each pair of activation and loss is trained on one of the four engines, another one with the next
// optimiser: any three of engine, optimiser, activation and loss meet in all their combinations.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/base/enum_names.h"
#include "core/device/device_fixture.h"
#include "core/train/back_end.h"
#include "core/train/direct_sgd.h"
#include "core/train/fused_optimizer.h"
#include "core/train/optimizer.h"
#include "core/train/staging.h"
#include "core/train/training_loop.h"
#include "data/normal.h"
#include "models/mlp.h"

namespace runahead::train {
namespace {

using config::Activation;
using config::ExperimentConfig;
using config::LossKind;
using config::OptimizerConfig;
using config::OptimizerKind;

constexpr int kSteps = 10;

/// What these steps leave, on the host: first loss, last loss, parameters.
std::vector<torch::Tensor> train(const ExperimentConfig& config, torch::Device device) {
  models::Mlp model(config.model, config.data.features, config.seed);
  device::place(model.module(), device.str());
  const auto optimizer = make_optimizer(config.optimizer, model.parameters());
  const auto source =
      data::make_normal_source(config, device, std::make_unique<PageableStaging>(device));
  const auto back_end = make_back_end(device);
  Waiter policy;
  BatchMeter meter(*back_end);
  LoopTrace trace;
  TrainingLoop(model, *optimizer, make_loss(config.loss), *source, policy)
      .run(kSteps, meter, trace);
  std::vector<torch::Tensor> results{trace.first_loss.cpu(), trace.last_loss.cpu()};
  for (const torch::Tensor& parameter : model.parameters()) {
    results.push_back(parameter.detach().cpu());
  }
  return results;
}

struct Engine {
  int workers = 1;
  engine::ReadyOrder ready_order = engine::ReadyOrder::kOldestFirst;
};

constexpr std::array kEngines{
    Engine{1, engine::ReadyOrder::kOldestFirst}, Engine{1, engine::ReadyOrder::kFirstReady},
    Engine{2, engine::ReadyOrder::kOldestFirst}, Engine{2, engine::ReadyOrder::kFirstReady}};

const std::array kOptimizers{
    OptimizerConfig{.kind = OptimizerKind::kSgd, .learning_rate = 0.05},
    OptimizerConfig{.kind = OptimizerKind::kSgd, .learning_rate = 0.05, .weight_decay = 0.01},
    OptimizerConfig{.kind = OptimizerKind::kSgd, .learning_rate = 0.05, .momentum = 0.9},
    OptimizerConfig{
        .kind = OptimizerKind::kSgd, .learning_rate = 0.05, .momentum = 0.9, .weight_decay = 0.01},
    OptimizerConfig{.kind = OptimizerKind::kAdam, .learning_rate = 0.01},
    OptimizerConfig{.kind = OptimizerKind::kAdam, .learning_rate = 0.01, .weight_decay = 0.01},
    OptimizerConfig{.kind = OptimizerKind::kAdamW, .learning_rate = 0.01},
    OptimizerConfig{.kind = OptimizerKind::kAdamW, .learning_rate = 0.01, .weight_decay = 0.01},
    OptimizerConfig{.kind = OptimizerKind::kSgd, .learning_rate = 0.05, .fused = true},
    OptimizerConfig{.kind = OptimizerKind::kSgd,
                    .learning_rate = 0.05,
                    .momentum = 0.9,
                    .weight_decay = 0.01,
                    .fused = true},
    OptimizerConfig{
        .kind = OptimizerKind::kAdam, .learning_rate = 0.01, .weight_decay = 0.01, .fused = true},
    OptimizerConfig{
        .kind = OptimizerKind::kAdamW, .learning_rate = 0.01, .weight_decay = 0.01, .fused = true}};

class BitEqualityTest : public device::DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    config_.model.layers = {16, 4};
    config_.data = {.features = 8, .targets = {.value = 1.0, .width = 4}, .batch_size = 8};
  }

  void expect_equal() {
    const std::vector<torch::Tensor> expected = train(config_, torch::kCPU);
    const std::vector<torch::Tensor> found = train(config_, acpu_);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(device::is_bit_equal(found[i], expected[i])) << "result " << i;
    }
  }

  ExperimentConfig config_{};
};

TEST_F(BitEqualityTest, LossesAndParametersAreThoseOfTheCpuWhereverTheDataIsMade) {
  for (std::size_t engine = 0; engine < kEngines.size(); ++engine) {
    device::configure(
        {.workers = kEngines[engine].workers, .ready_order = kEngines[engine].ready_order});
    for (std::size_t optimizer = 0; optimizer < kOptimizers.size(); ++optimizer) {
      config_.optimizer = kOptimizers[optimizer];
      for (std::size_t activation = 0; activation < names_of<Activation>().size(); ++activation) {
        for (std::size_t loss = 0; loss < names_of<LossKind>().size(); ++loss) {
          if ((optimizer + activation + loss) % kEngines.size() != engine) continue;
          SCOPED_TRACE("engine " + std::to_string(engine) + ", optimizer " +
                       std::to_string(optimizer) + ", " + names_of<Activation>()[activation] +
                       ", " + names_of<LossKind>()[loss]);
          config_.model.activation = static_cast<Activation>(activation);
          config_.loss = static_cast<LossKind>(loss);
          config_.data.made = config::DataMade::kOnHost;
          expect_equal();
          if (activation > 0 || loss >= kEngines.size()) continue;  // Once for each pair.
          config_.data.made = config::DataMade::kOnDevice;
          expect_equal();
        }
      }
    }
  }
}

/// Parameters of two groups after five steps. One of them joins at the third, one is a strided
/// slice, and one never has a gradient.
template <typename Optimizer, typename Options>
std::vector<torch::Tensor> updated(const Options& options, torch::Device device) {
  torch::manual_seed(0);
  std::vector<torch::Tensor> parameters;
  for (const bool is_slice : {false, false, false, true}) {
    const torch::Tensor values = torch::randn({6, 40}).to(device);
    parameters.push_back((is_slice ? values.slice(1, 0, 40, 2) : values).requires_grad_());
  }
  const std::vector<torch::Tensor> first{parameters[0], parameters[1]};
  const std::vector<torch::Tensor> second{parameters[2], parameters[3]};
  Options slower = options;
  slower.lr(options.lr() / 2);
  Optimizer optimizer(
      {torch::optim::OptimizerParamGroup(first),
       torch::optim::OptimizerParamGroup(second, std::make_unique<Options>(slower))},
      options);
  for (int step = 0; step < 5; ++step) {
    parameters[0].mutable_grad() = torch::randn({6, 40}).to(device);
    if (step >= 2) parameters[2].mutable_grad() = torch::randn({6, 40}).to(device);
    if (step == 4) parameters[3].mutable_grad() = torch::randn({6, 20}).to(device);
    optimizer.step();
  }
  std::vector<torch::Tensor> results;
  for (const torch::Tensor& parameter : parameters) results.push_back(parameter.detach().cpu());
  return results;
}

template <typename Plain, typename Other, typename Options>
void expect_equal_updates(const Options& options, bool to_the_bit = false) {
  for (const torch::Device device : {torch::Device("cpu"), torch::Device("acpu")}) {
    SCOPED_TRACE(device.str());
    const std::vector<torch::Tensor> expected = updated<Plain>(options, device);
    const std::vector<torch::Tensor> found = updated<Other>(options, device);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_TRUE(to_the_bit ? bool(device::is_bit_equal(found[i], expected[i]))
                             : torch::allclose(found[i], expected[i], 1e-4, 1e-6))
          << "parameter " << i;
    }
  }
}

TEST(Optimizers, UpdateAsThePlainOneDoesAndToTheBitWithoutMomentum) {
  namespace optim = torch::optim;
  register_device();
  for (const double decay : {0.0, 0.1}) {
    const auto options = optim::SGDOptions(0.05).weight_decay(decay);
    expect_equal_updates<optim::SGD, DirectSgd>(options, true);
    expect_equal_updates<optim::SGD, FusedSgd>(options, true);
  }
  expect_equal_updates<optim::SGD, FusedSgd>(
      optim::SGDOptions(0.05).momentum(0.9).dampening(0.5).weight_decay(0.1));
  expect_equal_updates<optim::SGD, FusedSgd>(optim::SGDOptions(0.05).momentum(0.9).nesterov(true));
  expect_equal_updates<optim::Adam, FusedAdam>(
      optim::AdamOptions(0.01).amsgrad(true).weight_decay(0.1));
  expect_equal_updates<optim::AdamW, FusedAdamW>(optim::AdamWOptions(0.01).amsgrad(true));
}

TEST(DirectSgd, ChangesNoVersion) {
  torch::Tensor parameter = torch::ones(3).requires_grad_();
  parameter.mutable_grad() = torch::ones(3);
  DirectSgd({parameter}, torch::optim::SGDOptions(0.5)).step();

  EXPECT_TRUE(parameter.equal(torch::full(3, 0.5)));
  EXPECT_EQ(parameter._version(), 0U) << "as LibTorch's, which updates parameter.data()";
}

}  // namespace
}  // namespace runahead::train
