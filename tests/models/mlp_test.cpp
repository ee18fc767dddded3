#include "models/mlp.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "core/base/enum_names.h"

namespace runahead::models {
namespace {

using config::Activation;
using config::ModelInit;

TEST(Mlp, HasAWeightAndABiasALayer) {
  Mlp mlp({.layers = {5, 3, 2}}, 4, 0);

  std::vector<std::vector<std::int64_t>> shapes;
  for (const torch::Tensor& parameter : mlp.parameters()) shapes.push_back(parameter.sizes().vec());

  EXPECT_EQ(shapes,
            (std::vector<std::vector<std::int64_t>>{{5, 4}, {5}, {3, 5}, {3}, {2, 3}, {2}}));
  EXPECT_EQ(mlp.forward(torch::ones({7, 4})).sizes().vec(), (std::vector<std::int64_t>{7, 2}));
}

TEST(Mlp, AppliesTheActivationBetweenLayersOnly) {
  Mlp mlp({.layers = {1, 1}, .activation = Activation::kRelu}, 1, 0);
  const torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : mlp.parameters()) parameter.fill_(-1.0);

  // -1 · relu(-1·x - 1) - 1: for x = 2 the hidden value is cut to 0, for x = -3 it is 2.
  EXPECT_FLOAT_EQ(mlp.forward(torch::full({1, 1}, 2.0)).item<float>(), -1.0F);
  EXPECT_FLOAT_EQ(mlp.forward(torch::full({1, 1}, -3.0)).item<float>(), -3.0F);
}

TEST(Mlp, EqualSeedsGiveEqualParameters) {
  const config::ModelConfig config{.layers = {6, 2}};
  Mlp first(config, 3, 42);
  Mlp same(config, 3, 42);
  Mlp other(config, 3, 43);

  EXPECT_TRUE(torch::equal(first.parameters().front(), same.parameters().front()));
  EXPECT_FALSE(torch::equal(first.parameters().front(), other.parameters().front()));
}

TEST(Mlp, GluonInitIsUniformWithZeroBias) {
  Mlp mlp({.layers = {200, 100}, .init = ModelInit::kGluon}, 100, 0);

  for (const torch::Tensor& parameter : mlp.parameters()) {
    if (parameter.dim() == 1) {
      EXPECT_EQ(parameter.abs().max().item<float>(), 0.0F);
      continue;
    }
    EXPECT_LE(parameter.abs().max().item<float>(), 0.07F);
    EXPECT_NEAR(parameter.abs().mean().item<float>(), 0.035F, 0.002F);
    EXPECT_NEAR(parameter.mean().item<float>(), 0.0F, 0.002F);
  }
}

TEST(Mlp, TorchInitIsBoundedByTheInverseRootOfItsInputs) {
  Mlp mlp({.layers = {50}}, 100, 0);

  for (const torch::Tensor& parameter : mlp.parameters()) {
    EXPECT_LE(parameter.abs().max().item<float>(), 0.1F);
    EXPECT_GT(parameter.abs().max().item<float>(), 0.05F);
  }
}

/// The gradient of sum(mlp(x)²) in every parameter element, against central differences in double.
class MlpGradientTest : public ::testing::TestWithParam<std::size_t> {};

TEST_P(MlpGradientTest, IsThatOfFiniteDifferences) {
  constexpr double kStep = 1e-5;
  Mlp mlp({.layers = {4, 3, 2}, .activation = static_cast<Activation>(GetParam())}, 3, 7);
  mlp.module().to(torch::kFloat64);
  const torch::Tensor inputs = torch::randn({5, 3}, torch::kFloat64);
  const auto objective = [&] { return mlp.forward(inputs).square().sum(); };
  objective().backward();

  const torch::NoGradGuard no_grad;
  for (torch::Tensor& parameter : mlp.parameters()) {
    torch::Tensor values = parameter.view(-1);
    const torch::Tensor gradient = parameter.grad().view(-1);
    for (std::int64_t i = 0; i < values.numel(); ++i) {
      const double value = values[i].item<double>();
      values[i] = value + kStep;
      const double above = objective().item<double>();
      values[i] = value - kStep;
      const double below = objective().item<double>();
      values[i] = value;
      const double expected = (above - below) / (2 * kStep);
      EXPECT_NEAR(gradient[i].item<double>(), expected, 1e-5 * std::max(1.0, std::abs(expected)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllActivations, MlpGradientTest,
                         ::testing::Range(std::size_t{0}, names_of<config::Activation>().size()),
                         [](const auto& param_info) {
                           return names_of<config::Activation>()[param_info.param];
                         });

}  // namespace
}  // namespace runahead::models
