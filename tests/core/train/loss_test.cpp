#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <vector>

#include "core/base/error.h"
#include "core/device/device_fixture.h"
#include "core/train/loss.h"
#include "core/train/loss_log.h"

namespace runahead::train {
namespace loss_test {

using config::LossKind;
using ::testing::ElementsAre;

double value_of(LossKind kind, const torch::Tensor& predictions, const torch::Tensor& targets) {
  return make_loss(kind)(predictions, targets).item<double>();
}

TEST(Loss, IsTheFormulaOfItsKind) {
  const torch::Tensor predictions = torch::tensor({{1.0F}, {2.0F}, {5.0F}});
  const torch::Tensor targets = torch::tensor({{1.0F}, {1.5F}, {2.0F}});

  EXPECT_NEAR(value_of(LossKind::kMse, predictions, targets), (0.25 + 9.0) / 3, 1e-6);
  EXPECT_NEAR(value_of(LossKind::kL2, predictions, targets), (0.25 + 9.0) / 6, 1e-6);
  EXPECT_NEAR(value_of(LossKind::kL1, predictions, targets), (0.5 + 3.0) / 3, 1e-6);
  EXPECT_NEAR(value_of(LossKind::kHuber, predictions, targets), (0.125 + 2.5) / 3, 1e-6);
}

TEST(Loss, CrossEntropyTakesClassIndices) {
  const torch::Tensor logits = torch::tensor({{0.0F, 0.0F}, {std::log(3.0F), 0.0F}});
  const torch::Tensor classes = torch::tensor({0, 1}, torch::kInt64);

  EXPECT_NEAR(value_of(LossKind::kCrossEntropy, logits, classes),
              (std::log(2.0) + std::log(4.0)) / 2, 1e-6);
}

TEST(LossLogger, ReportsTheMeansOfSoManyTogetherAndKeepsThoseOfOneReading) {
  LossLog log(2);
  std::vector<std::size_t> reported;
  LossLogger logger(2, [&](const std::vector<double>& means) { reported.push_back(means.size()); });
  LossLogger silent(1, {});
  for (const float value : {1.0F, 2.0F, 8.0F, 9.0F}) {
    const torch::Tensor loss = torch::tensor(value);
    const std::size_t kept = log.kept();
    EXPECT_LE(kept, 1U);
    EXPECT_EQ(log.add(loss), kept == 1U);
    logger.after_wait({.loss = &loss});
    silent.after_wait({.loss = &loss});
  }

  EXPECT_THAT(log.means(), ElementsAre(1.5, 8.5));
  EXPECT_THAT(reported, ElementsAre(1, 2));
  EXPECT_THROW(LossLog(0), UsageError);
}

TEST(LossLog, KeepsTheLatestMeansAlone) {
  LossLog log(1);
  const auto count = static_cast<int>(LossLog::kMostMeans) + 5;
  for (int i = 0; i < count; ++i) log.add(torch::tensor(static_cast<float>(i)));

  EXPECT_EQ(log.means().size(), LossLog::kMostMeans);
  EXPECT_EQ(log.means().front(), 5.0);
  EXPECT_EQ(log.means().back(), count - 1);
}

class LossLogOnDevice : public device::DeviceTest {};

TEST_F(LossLogOnDevice, WaitsForNothingUntilItReads) {
  LossLog log(3);
  const torch::Tensor loss = torch::ones({}, acpu_);
  device::synchronize();
  device::WorkerGate gate;

  EXPECT_FALSE(log.add(loss + 1));
  EXPECT_FALSE(log.add(loss + 2));
  EXPECT_GE(device::backlog().operations, 3U) << "the gate and two additions";
  gate.open();
  EXPECT_TRUE(log.add(loss + 3));

  EXPECT_THAT(log.means(), ElementsAre(3.0));
}

}  // namespace loss_test
}  // namespace runahead::train
