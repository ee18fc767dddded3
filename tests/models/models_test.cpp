#include <gmock/gmock.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/device/device.h"
#include "models/mlp.h"
#include "models/script_model.h"
#include "support/error_message.h"

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

using ::testing::HasSubstr;

class ScriptModelTest : public ::testing::Test {
 protected:
  ScriptModelTest() {
    register_device();
    torch::jit::Module inner("Inner");
    inner.register_parameter("weight", torch::full({2, 6}, 0.5).requires_grad_(),
                             /*is_buffer=*/false);
    inner.register_buffer("calls", torch::zeros({1}));
    inner.define("def forward(self, x):\n  return torch.linear(x, self.weight)\n");
    torch::jit::Module outer("Outer");
    outer.register_module("inner", inner);
    outer.register_attribute("training", c10::BoolType::get(), true);
    outer.define(
        "def forward(self, x):\n"
        "  y = self.inner.forward(x.flatten(1))\n"
        "  if self.training:\n"
        "    y = y * 2\n"
        "  return y\n");
    outer.save(path_);
  }

  [[nodiscard]] ScriptModel model(std::vector<std::int64_t> input_shape = {}) const {
    return {{.kind = "torchscript", .path = path_, .input_shape = std::move(input_shape)}, {6}, 0};
  }

  ScratchFolder folder_;
  std::string path_ = (folder_.path() / "model.pt").string();
};

TEST_F(ScriptModelTest, TrainsOnTheDeviceThatItsParametersAreMovedTo) {
  for (const char* device : {"cpu", "acpu"}) {
    ScriptModel script = model({2, 3});
    device::place(script.module(), device);
    const torch::Tensor outputs = script.forward(torch::ones({4, 6}).to(torch::Device(device)));
    outputs.sum().backward();

    EXPECT_TRUE(torch::equal(outputs.cpu(), torch::full({4, 2}, 6.0)));
    EXPECT_TRUE(torch::equal(script.parameters().front().grad().cpu(), torch::full({2, 6}, 8.0)));
  }
}

TEST_F(ScriptModelTest, HasATensorOfSeveralNamesOnce) {
  const torch::Tensor weight = torch::ones({6, 6}).requires_grad_();
  const torch::Tensor scale = torch::ones({1});
  torch::jit::Module tied("Tied");
  for (const char* name : {"encode", "decode"}) tied.register_parameter(name, weight, false);
  for (const char* name : {"scale", "other_scale"}) tied.register_parameter(name, scale, true);
  tied.define(
      "def forward(self, x):\n"
      "  return torch.linear(torch.linear(x, self.encode), self.decode) * self.scale\n");
  tied.save(path_);

  ScriptModel script = model();
  EXPECT_EQ(script.parameters().size(), 1U);
  EXPECT_EQ(script.module().buffers().size(), 1U);
  EXPECT_EQ(script.bytes(), (36 + 1) * sizeof(float));
  device::place(script.module(), "acpu");
  const torch::NoGradGuard no_grad;
  script.parameters().front().mul_(2.0);  // A step of an optimiser changes both.
  const torch::Tensor outputs = script.forward(torch::ones({1, 6}).to(torch::Device("acpu")));
  EXPECT_TRUE(torch::equal(outputs.cpu(), torch::full({1, 6}, 144.0)));
}

TEST_F(ScriptModelTest, HasTheModeOfItsModule) {
  ScriptModel script = model();
  script.module().eval();
  EXPECT_FLOAT_EQ(script.forward(torch::ones({1, 6})).select(1, 0).item<float>(), 3.0F);
  script.module().train();
  EXPECT_FLOAT_EQ(script.forward(torch::ones({1, 6})).select(1, 0).item<float>(), 6.0F);
}

TEST_F(ScriptModelTest, SaysWhatIsWrongWithItsFileAndShapes) {
  EXPECT_THAT(test::error_message<ConfigError>([&] { static_cast<void>(model({4})); }),
              HasSubstr("/model/input_shape: found [4]; allowed: a shape of as many elements as an "
                        "example has, [6]"));
  std::filesystem::resize_file(path_, 100);
  EXPECT_THAT(test::error_message<ConfigError>([&] { static_cast<void>(model()); }),
              HasSubstr("/model/path: '" + path_));
  std::filesystem::remove(path_);
  EXPECT_THAT(test::error_message<ConfigError>([&] { static_cast<void>(model()); }),
              HasSubstr("cannot be loaded"));
}

}  // namespace
}  // namespace runahead::models
