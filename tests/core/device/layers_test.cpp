// Goal: a layer gives on acpu, bit for bit, the output and the gradients that it gives on cpu, and
// its second call waits nowhere. Method: run each on both devices with the same parameters.
#include <torch/nn.h>

#include <functional>
#include <string>
#include <vector>

#include "core/device/device_fixture.h"
#include "core/device/engine_settings.h"

namespace runahead::device {
namespace {

namespace nn = torch::nn;
using at::Tensor;
using Tensors = std::vector<Tensor>;

struct LayerCase {
  std::string name;
  std::vector<std::int64_t> input;  // Sizes.
  std::function<nn::AnyModule()> make;
};

template <typename Module, typename... Arguments>
std::function<nn::AnyModule()> layer(Arguments... arguments) {
  return [=] { return nn::AnyModule(Module(arguments...)); };
}

std::vector<LayerCase> convolutions() {
  return {
      {"Conv1d", {2, 3, 9}, layer<nn::Conv1d>(nn::Conv1dOptions(3, 4, 3).stride(2).padding(1))},
      {"Conv2d", {2, 3, 8, 7}, layer<nn::Conv2d>(nn::Conv2dOptions(3, 4, 3).padding(1))},
      {"Conv2dOfOneImage", {3, 8, 7}, layer<nn::Conv2d>(nn::Conv2dOptions(3, 4, 3))},
      {"Conv2dDilated", {2, 3, 9, 9}, layer<nn::Conv2d>(nn::Conv2dOptions(3, 4, 3).dilation(2))},
      {"Conv2dGrouped", {2, 4, 8, 8}, layer<nn::Conv2d>(nn::Conv2dOptions(4, 6, 3).groups(2))},
      {"Conv2dDepthwise", {2, 4, 8, 8}, layer<nn::Conv2d>(nn::Conv2dOptions(4, 4, 3).groups(4))},
      {"Conv2dPointwise", {2, 4, 8, 8}, layer<nn::Conv2d>(nn::Conv2dOptions(4, 6, 1).bias(false))},
      {"Conv3d", {2, 2, 5, 6, 7}, layer<nn::Conv3d>(nn::Conv3dOptions(2, 3, 2).stride(2))},
      {"ConvTranspose1d", {2, 3, 6}, layer<nn::ConvTranspose1d>(3, 4, 3)},
      {"ConvTranspose2d",
       {2, 3, 5, 6},
       layer<nn::ConvTranspose2d>(nn::ConvTranspose2dOptions(3, 4, 3).stride(2).output_padding(1))},
      {"ConvTranspose3d", {1, 2, 3, 4, 3}, layer<nn::ConvTranspose3d>(2, 2, 2)},
  };
}

std::vector<LayerCase> poolings() {
  return {
      {"MaxPool1d", {2, 3, 9}, layer<nn::MaxPool1d>(2)},
      {"MaxPool2d", {2, 3, 9, 8}, layer<nn::MaxPool2d>(nn::MaxPool2dOptions(3).stride(2))},
      {"MaxPool3d", {2, 2, 6, 6, 6}, layer<nn::MaxPool3d>(2)},
      {"AvgPool1d", {2, 3, 9}, layer<nn::AvgPool1d>(3)},
      {"AvgPool2d", {2, 3, 9, 8}, layer<nn::AvgPool2d>(nn::AvgPool2dOptions(3).padding(1))},
      {"AvgPool3d", {2, 2, 6, 6, 6}, layer<nn::AvgPool3d>(2)},
      {"LPPool2d", {2, 3, 8, 8}, layer<nn::LPPool2d>(nn::LPPool2dOptions(2, 3))},
      {"AdaptiveAvgPool1d", {2, 3, 9}, layer<nn::AdaptiveAvgPool1d>(4)},
      {"AdaptiveAvgPool2d", {2, 3, 9, 8}, layer<nn::AdaptiveAvgPool2d>(3)},
      {"AdaptiveAvgPool2dToOne", {2, 3, 9, 8}, layer<nn::AdaptiveAvgPool2d>(1)},
      {"AdaptiveMaxPool2d", {2, 3, 9, 8}, layer<nn::AdaptiveMaxPool2d>(3)},
      {"AdaptiveAvgPool3d", {2, 2, 5, 6, 7}, layer<nn::AdaptiveAvgPool3d>(2)},
  };
}

std::vector<LayerCase> norms() {
  return {
      {"BatchNorm1d", {6, 3}, layer<nn::BatchNorm1d>(3)},
      {"BatchNorm2d", {3, 4, 5, 5}, layer<nn::BatchNorm2d>(4)},
      {"BatchNorm3d", {3, 2, 3, 3, 3}, layer<nn::BatchNorm3d>(2)},
      {"LayerNorm", {5, 6}, [] { return nn::AnyModule(nn::LayerNorm(nn::LayerNormOptions({6}))); }},
      {"GroupNorm", {3, 4, 5, 5}, layer<nn::GroupNorm>(2, 4)},
      {"InstanceNorm2d", {3, 4, 5, 5}, layer<nn::InstanceNorm2d>(4)},
      {"InstanceNorm2dTracking",
       {3, 4, 5, 5},
       layer<nn::InstanceNorm2d>(
           nn::InstanceNorm2dOptions(4).affine(true).track_running_stats(true))},
      {"LocalResponseNorm", {3, 4, 5, 5}, layer<nn::LocalResponseNorm>(2)},
  };
}

std::vector<LayerCase> activations() {
  return {
      {"Elu", {4, 6}, layer<nn::ELU>()},
      {"Celu", {4, 6}, layer<nn::CELU>()},
      {"Selu", {4, 6}, layer<nn::SELU>()},
      {"Silu", {4, 6}, layer<nn::SiLU>()},
      {"Mish", {4, 6}, layer<nn::Mish>()},
      {"Gelu", {4, 6}, layer<nn::GELU>()},
      {"Glu", {4, 6}, layer<nn::GLU>()},
      {"LeakyRelu", {4, 6}, layer<nn::LeakyReLU>()},
      {"PRelu", {4, 6}, layer<nn::PReLU>()},
      {"RRelu", {4, 6}, layer<nn::RReLU>()},
      {"Relu6", {4, 6}, layer<nn::ReLU6>()},
      {"Softplus", {4, 6}, layer<nn::Softplus>()},
      {"Softshrink", {4, 6}, layer<nn::Softshrink>()},
      {"Hardshrink", {4, 6}, layer<nn::Hardshrink>()},
      {"LogSigmoid", {4, 6}, layer<nn::LogSigmoid>()},
      {"LogSoftmax", {4, 6}, layer<nn::LogSoftmax>(1)},
      {"Dropout", {4, 6}, layer<nn::Dropout>(0.3)},
      {"Dropout2d", {4, 6, 2, 2}, layer<nn::Dropout2d>(0.3)},
      {"AlphaDropout", {4, 6}, layer<nn::AlphaDropout>(0.3)},
  };
}

std::vector<LayerCase> others() {
  return {
      {"Linear", {2, 5, 6}, layer<nn::Linear>(6, 3)},
      {"Upsample",
       {1, 2, 4, 4},
       layer<nn::Upsample>(nn::UpsampleOptions()
                               .scale_factor(std::vector<double>{2.0, 2.0})
                               .mode(torch::kBilinear)
                               .align_corners(false))},
      {"PixelShuffle", {1, 4, 3, 3}, layer<nn::PixelShuffle>(2)},
      {"Unfold", {1, 2, 5, 5}, layer<nn::Unfold>(3)},
      {"Fold", {1, 8, 9}, layer<nn::Fold>(nn::FoldOptions({4, 4}, {2, 2}))},
      {"ReflectionPad2d", {1, 2, 4, 4}, layer<nn::ReflectionPad2d>(1)},
      {"ReplicationPad2d", {1, 2, 4, 4}, layer<nn::ReplicationPad2d>(1)},
      {"ConstantPad2d", {1, 2, 4, 4}, layer<nn::ConstantPad2d>(nn::ConstantPad2dOptions(1, 2.0))},
  };
}

std::vector<LayerCase> layer_cases() {
  std::vector<LayerCase> all;
  for (const auto& cases : {convolutions(), poolings(), norms(), activations(), others()}) {
    all.insert(all.end(), cases.begin(), cases.end());
  }
  return all;
}

// The output, and the gradients of the input and the parameters.
Tensors run(const LayerCase& layer_case, const torch::Device& device, int calls) {
  torch::manual_seed(5);
  nn::AnyModule module = layer_case.make();
  const Tensor host = torch::randn(layer_case.input);
  place(*module.ptr(), device.str());
  torch::manual_seed(6);
  Tensors results;
  for (int call = 0; call < calls; ++call) {
    if (call == 1 && device.type() == at::kPrivateUse1) reset_peaks();
    const Tensor input = host.to(device, /*non_blocking=*/false, /*copy=*/true).requires_grad_();
    const Tensor output = module.forward<Tensor>(input);
    output.square().sum().backward();
    results = {output.detach(), input.grad()};
  }
  for (const Tensor& parameter : module.ptr()->parameters()) results.push_back(parameter.grad());
  for (const Tensor& buffer : module.ptr()->buffers()) results.push_back(buffer);
  return results;
}

class Layers : public DeviceTest, public ::testing::WithParamInterface<EngineSetting> {};

TEST_P(Layers, GiveTheOutputsAndGradientsOfTheCpuWithoutAHiddenWait) {
  configure(GetParam().options);

  for (const LayerCase& layer_case : layer_cases()) {
    SCOPED_TRACE(layer_case.name);
    const Tensors actual = run(layer_case, acpu_, 2);
    EXPECT_EQ(blocking_operators(), (std::map<std::string, std::uint64_t>{}));
    const Tensors expected = run(layer_case, torch::kCPU, 2);

    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i) {
      EXPECT_TRUE(is_bit_equal(actual[i], expected[i])) << "result " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, Layers, ::testing::ValuesIn(threaded_engine_settings()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace runahead::device
