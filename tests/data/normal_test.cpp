#include "data/normal.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/base/clock.h"

namespace runahead::data {
namespace {

using config::DataMade;
using train::Batch;
using train::BatchSource;

class NormalTest : public ::testing::TestWithParam<DataMade> {
 protected:
  NormalTest() {
    config_.batches = 3;
    config_.data = {
        .features = 5, .targets = {.value = 2.5, .width = 2}, .batch_size = 4, .made = GetParam()};
  }

  std::unique_ptr<BatchSource> make() {
    return make_normal_source(config_, torch::kCPU,
                              std::make_unique<train::PageableStaging>(torch::kCPU));
  }

  config::ExperimentConfig config_{};
};

TEST_P(NormalTest, BatchesHaveTheShapesOfTheConfigAndNormallyDistributedInputs) {
  config_.data.batch_size = 200;
  config_.data.features = 300;
  const Batch batch = make()->next();

  EXPECT_EQ(batch.inputs.sizes().vec(), (std::vector<std::int64_t>{200, 300}));
  EXPECT_EQ(batch.inputs.scalar_type(), torch::kFloat32);
  EXPECT_NEAR(batch.inputs.mean().item<double>(), 0.0, 0.02);
  EXPECT_NEAR(batch.inputs.std().item<double>(), 1.0, 0.02);
  EXPECT_TRUE(torch::equal(batch.targets, torch::full({200, 2}, 2.5F)));
  config_.loss = config::LossKind::kCrossEntropy;
  config_.data.targets = {.value = 3.0, .width = 1};
  EXPECT_TRUE(torch::equal(make()->next().targets, torch::full({200}, 3, torch::kInt64)));
}

TEST_P(NormalTest, EqualSeedsGiveEqualBatchesAndEachBatchIsAnother) {
  const auto first = make();
  const Batch one = first->next();
  const Batch two = first->next();
  const auto again = make();

  EXPECT_TRUE(torch::equal(again->next().inputs, one.inputs));
  EXPECT_TRUE(torch::equal(again->next().inputs, two.inputs));
  EXPECT_FALSE(torch::equal(one.inputs, two.inputs));
  config_.seed = 1;
  EXPECT_FALSE(torch::equal(make()->next().inputs, one.inputs));
}

INSTANTIATE_TEST_SUITE_P(AllWays, NormalTest,
                         ::testing::Values(DataMade::kOnHost, DataMade::kOnDevice,
                                           DataMade::kBeforehand));

std::unique_ptr<BatchSource> source_of(const config::DataConfig& data) {
  config::ExperimentConfig config;
  config.batches = 2;
  config.warmup_batches = 1;
  config.data = data;
  return make_normal_source(config, torch::kCPU,
                            std::make_unique<train::PageableStaging>(torch::kCPU));
}

TEST(NormalPool, HoldsABatchForEachOfTheRunAndThenTheSameAgain) {
  const auto source = source_of({.features = 5, .batch_size = 4, .made = DataMade::kBeforehand});
  std::vector<torch::Tensor> inputs;
  for (int i = 0; i < 4; ++i) inputs.push_back(source->next().inputs);

  EXPECT_FALSE(torch::equal(inputs[0], inputs[1]));
  EXPECT_FALSE(torch::equal(inputs[0], inputs[2]));
  EXPECT_TRUE(inputs[3].is_same(inputs[0]));
}

TEST(Normal, OfASlowSourceTakesItsTime) {
  const auto source = source_of({.features = 2, .batch_size = 3, .seconds_per_batch = 0.02});
  const TimePoint begun = Clock::now();

  EXPECT_EQ(source->next().inputs.size(0), 3);
  EXPECT_GE(seconds_between(begun, Clock::now()), 0.02);
}

}  // namespace
}  // namespace runahead::data
