#include "models/mlp.h"

#include <gtest/gtest.h>
#include <torch/types.h>
#include <torch/utils.h>

namespace runahead::models {
namespace {

using config::Activation;
using config::ModelInit;

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

}  // namespace
}  // namespace runahead::models
