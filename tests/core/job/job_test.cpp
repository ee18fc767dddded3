#include <gmock/gmock.h>
#include <torch/nn/modules/dropout.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <filesystem>
#include <tuple>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/device/device.h"
#include "core/job/checkpoint.h"
#include "core/job/evaluation.h"
#include "core/train/optimizer.h"
#include "models/mlp.h"
#include "support/error_message.h"

namespace runahead::job {
namespace {

using config::OptimizerKind;

/// A model with all that has a state: batch norm has buffers, dropout draws random numbers.
class Training {
 public:
  Training(const config::OptimizerConfig& optimizer, torch::Device device)
      : device_(device),
        model_({.layers = {8, 3}, .normalization = config::Normalization::kBatch, .dropout = 0.5},
               4, 0) {
    device::place(model_.module(), device.str());
    optimizer_ = train::make_optimizer(optimizer, model_.parameters());
  }

  void step() {
    const torch::Tensor inputs = torch::arange(64).reshape({16, 4}).to(torch::kFloat32).to(device_);
    optimizer_->zero_grad();
    model_.forward(inputs).square().mean().backward();
    optimizer_->step();
  }

  [[nodiscard]] TrainingState state(const Json& job = {{"seed", 1}}) {
    return {.module = model_.module(), .optimizer = *optimizer_, .device = device_, .job = job};
  }

  [[nodiscard]] std::vector<torch::Tensor> tensors() {
    std::vector<torch::Tensor> all;
    for (const torch::Tensor& tensor : model_.parameters()) all.push_back(tensor.detach().cpu());
    for (const torch::Tensor& tensor : model_.module().buffers()) all.push_back(tensor.cpu());
    return all;
  }

 private:
  torch::Device device_;
  models::Mlp model_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_{};
};

class Checkpoint
    : public ::testing::TestWithParam<std::tuple<const char*, config::OptimizerConfig>> {
 protected:
  Checkpoint() { register_device(); }

  [[nodiscard]] static Training make() {
    return {std::get<1>(GetParam()), torch::Device(std::get<0>(GetParam()))};
  }

  ScratchFolder folder_;
  std::filesystem::path path_ = folder_.path() / "job.safetensors";
};

TEST_P(Checkpoint, ATrainingThatGoesOnFromItIsBitEqualToOneThatNeverStopped) {
  Training whole = make();
  for (int i = 0; i < 3; ++i) whole.step();
  save_checkpoint(path_, whole.state(), 3);
  for (int i = 0; i < 4; ++i) whole.step();
  const std::vector<torch::Tensor> expected = whole.tensors();

  torch::manual_seed(12345);
  Training resumed = make();
  EXPECT_EQ(load_checkpoint(path_, resumed.state()), 3);
  for (int i = 0; i < 4; ++i) resumed.step();

  const std::vector<torch::Tensor> found = resumed.tensors();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(torch::equal(found[i], expected[i]));
}

INSTANTIATE_TEST_SUITE_P(
    EveryOptimizer, Checkpoint,
    ::testing::Combine(
        ::testing::Values("cpu", "acpu"),
        ::testing::Values(
            config::OptimizerConfig{.kind = OptimizerKind::kSgd},
            config::OptimizerConfig{.kind = OptimizerKind::kSgd, .momentum = 0.9},
            config::OptimizerConfig{.kind = OptimizerKind::kSgd, .momentum = 0.9, .fused = true},
            config::OptimizerConfig{
                .kind = OptimizerKind::kAdam, .weight_decay = 0.1, .fused = true},
            config::OptimizerConfig{.kind = OptimizerKind::kAdam, .weight_decay = 0.1},
            config::OptimizerConfig{.kind = OptimizerKind::kAdamW, .weight_decay = 0.1})));

class CheckpointFile : public ::testing::Test {
 protected:
  CheckpointFile() {
    training_.step();
    save_checkpoint(path_, training_.state(), 1);
  }

  ScratchFolder folder_;
  std::filesystem::path path_ = folder_.path() / "job.safetensors";
  Training training_{{.momentum = 0.9}, torch::kCPU};
};

TEST_F(CheckpointFile, MayBeOlderThanAKeyThatHasItsDefault) {
  const Json saved = {{"model", {{"layers", {4, 1}}}}};
  save_checkpoint(path_, training_.state(saved), 1);
  const auto load = [&](const Json& job) {
    TrainingState state = training_.state(job);
    state.job_defaults = {{"model", {{"layers", {2048}}, {"bias", true}}}};
    return load_checkpoint(path_, state);
  };

  EXPECT_EQ(load({{"model", {{"layers", {4, 1}}, {"bias", true}}}}), 1);
  EXPECT_THROW(load({{"model", {{"layers", {4, 1}}, {"bias", false}}}}), ConfigError);
  EXPECT_THROW(load({{"model", {{"layers", {2048}}, {"bias", true}}}}), ConfigError);
}

TEST_F(CheckpointFile, IsWrittenEverySoManyBatchesAndAtTheEnd) {
  Checkpointer checkpointer(path_, training_.state(), 3, /*batches_before=*/1);
  const torch::Tensor loss = torch::zeros({});
  const auto trained = [&] { return load_checkpoint(path_, training_.state()); };
  std::vector<std::int64_t> saved;
  for (int i = 0; i < 4; ++i) {
    checkpointer.after_wait({.loss = &loss});
    saved.push_back(trained());
  }
  EXPECT_EQ(saved, (std::vector<std::int64_t>{1, 3, 3, 3}));
  checkpointer.save();
  EXPECT_EQ(trained(), 5);
}

/// Gives its inputs as logits, through a dropout that an evaluation must leave out.
class Identity final : public train::Model {
 public:
  torch::Tensor forward(const torch::Tensor& inputs) override { return dropout_->forward(inputs); }
  torch::nn::Module& module() override { return *dropout_; }

 private:
  torch::nn::Dropout dropout_{0.9};
};

/// Two batches, of three examples and of one: three of the four classes are right.
class FourExamples final : public train::BatchSource {
 public:
  train::Batch next() override {
    const torch::Tensor logits = torch::eye(4).mul(100);
    const bool is_first = asked_++ % 2 == 0;
    const auto rows = is_first ? torch::indexing::Slice(0, 3) : torch::indexing::Slice(3, 4);
    return {.inputs = logits.index({rows}), .targets = torch::tensor({0, 1, 0, 3}).index({rows})};
  }
  [[nodiscard]] std::optional<std::int64_t> batches_in_epoch() const override { return 2; }

 private:
  int asked_ = 0;
};

TEST(Evaluator, CountsExamplesAndNotBatches) {
  Identity model;
  std::vector<Evaluation> found;
  Evaluator evaluator(model, train::make_loss(config::LossKind::kCrossEntropy),
                      std::make_unique<FourExamples>(),
                      Evaluator::Options{.every = 1, .has_classes = true},
                      [&](const Evaluation& evaluation) { found.push_back(evaluation); });

  evaluator.evaluate();

  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].accuracy.value(), 0.75);
  EXPECT_NEAR(found[0].loss, 25.0, 1e-5) << "one of four examples is off by 100";
  EXPECT_TRUE(model.module().is_training()) << "again";
}

TEST_F(CheckpointFile, IsRefusedBeforeTheTrainingIfItCannotHoldABuffer) {
  const TrainingState state = training_.state();
  state.module.register_buffer("angles", torch::zeros({2}, torch::kComplexFloat));
  EXPECT_THAT(test::error_message<ConfigError>([&] { Checkpointer(path_, state, 3, 0); }),
              ::testing::HasSubstr("/checkpoint: 'buffer.angles': found a tensor of the type "
                                   "ComplexFloat; allowed: "));
}

}  // namespace
}  // namespace runahead::job
