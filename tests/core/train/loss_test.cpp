#include "core/train/loss.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

namespace runahead::train {
namespace loss_test {

using config::LossKind;

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

}  // namespace loss_test
}  // namespace runahead::train
