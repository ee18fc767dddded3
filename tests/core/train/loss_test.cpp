#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <vector>

#include "core/device/device_fixture.h"
#include "core/train/loss.h"
#include "core/train/loss_log.h"

namespace runahead::train {
namespace loss_test {

using config::LossKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

class LossLogOnDevice : public device::DeviceTest {};

TEST_F(LossLogOnDevice, WaitsForNothingUntilItReads) {
  std::vector<double> means;
  LossLog log(3, [&means](const std::vector<double>& read) { means = read; });
  const torch::Tensor loss = torch::ones({}, acpu_);
  const auto add = [&log](const torch::Tensor& of_batch) { log.after_wait({.loss = &of_batch}); };
  device::synchronize();
  device::WorkerGate gate;

  add(loss + 1);
  add(loss + 2);
  EXPECT_GE(device::backlog().operations, 3U) << "the gate and two additions";
  EXPECT_THAT(means, IsEmpty());
  gate.open();
  add(loss + 3);

  EXPECT_THAT(means, ElementsAre(3.0));
}

}  // namespace loss_test
}  // namespace runahead::train
