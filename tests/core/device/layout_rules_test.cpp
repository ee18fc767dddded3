// Common operators do not wait even on their first call: their layouts follow from rules. Method:
// call each while the worker is held, on sizes that no other test uses; then compare with cpu.
#include <functional>

#include "core/device/device_fixture.h"

namespace runahead::device {
namespace layout_rules_test {

using at::Tensor;
using Tensors = std::vector<Tensor>;

struct FirstCall {
  std::string name;
  /// Given x (2, 4, 11, 13), weight (6, 4, 3, 3), scale (4), indices (5) and targets (2, 11, 13).
  std::function<Tensor(const Tensors& t)> run;
};

const std::vector<FirstCall>& first_calls() {
  static const std::vector<FirstCall> calls{
      {"conv2d", [](const Tensors& t) { return torch::conv2d(t[0], t[1], {}, 2, 1); }},
      {"convTranspose2d",
       [](const Tensors& t) {
         return torch::conv_transpose2d(t[0], t[1].transpose(0, 1).contiguous(), {}, 2, 0, 1);
       }},
      {"layerNorm",
       [](const Tensors& t) {
         return torch::layer_norm(t[0], {11, 13});
       }},
      {"groupNorm", [](const Tensors& t) { return torch::group_norm(t[0], 2, t[2], t[2]); }},
      {"batchNorm",
       [](const Tensors& t) {
         return torch::batch_norm(t[0], t[2], t[2], {}, {}, true, 0.1, 1e-5, false);
       }},
      {"where", [](const Tensors& t) { return torch::where(t[0] > 0, t[0], t[0].exp()); }},
      {"indexSelect", [](const Tensors& t) { return t[0].index_select(3, t[3]); }},
      {"embedding",
       [](const Tensors& t) {
         return torch::embedding(t[0].view({8, 143}), t[3]);
       }},
      {"adaptivePooling",
       [](const Tensors& t) {
         return torch::adaptive_avg_pool2d(t[0], {3, 5});
       }},
      {"nllLoss2d", [](const Tensors& t) { return torch::nll_loss2d(t[0], t[4]); }},
      {"maxPool2d", [](const Tensors& t) { return torch::max_pool2d(t[0], 2); }},
      {"maximumOfRows", [](const Tensors& t) { return std::get<0>(t[0].max(3)); }},
      {"gather", [](const Tensors& t) { return t[0].gather(1, t[4].unsqueeze(1)); }},
      {"topk", [](const Tensors& t) { return std::get<0>(t[0].topk(3)); }},
      {"sort", [](const Tensors& t) { return std::get<0>(t[0].sort(3)); }},
      {"cumsum", [](const Tensors& t) { return t[0].cumsum(2); }},
      {"maskedFill", [](const Tensors& t) { return t[0].masked_fill(t[0] > 0, 1.5); }},
      {"gradients",
       [](const Tensors& t) {
         const Tensor image = t[0].detach().requires_grad_();
         const Tensor kernel = t[1].detach().requires_grad_();
         Tensor hidden = torch::conv2d(image, kernel, {}, 1, 1);
         hidden = torch::group_norm(torch::layer_norm(hidden, {11, 13}), 2);
         hidden = torch::batch_norm(hidden, {}, {}, {}, {}, true, 0.1, 1e-5, false);
         torch::adaptive_avg_pool2d(hidden, {3, 5}).square().sum().backward();
         return image.grad();
       }},
  };
  return calls;
}

using LayoutRules = DeviceTest;

TEST_F(LayoutRules, CommonOperatorsDoNotWaitOnTheirFirstCall) {
  torch::manual_seed(1);
  const Tensors host{torch::randn({2, 4, 11, 13}), torch::randn({6, 4, 3, 3}), torch::randn({4}),
                     torch::tensor({0, 3, 1, 1, 2}), torch::randint(4, {2, 11, 13}, torch::kLong)};
  Tensors device;
  for (const Tensor& tensor : host) device.push_back(tensor.to(acpu_));
  Tensors results;
  {
    WorkerGate gate;
    for (const FirstCall& call : first_calls()) results.push_back(call.run(device));
    EXPECT_EQ(blocking_operators(), (std::map<std::string, std::uint64_t>{}));
  }

  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_TRUE(is_bit_equal(results[i], first_calls()[i].run(host))) << first_calls()[i].name;
  }
}

TEST_F(LayoutRules, WrongShapesThrowAtTheCall) {
  const Tensor x = torch::ones({2, 4, 5, 5}, acpu_);

  EXPECT_ANY_THROW(torch::conv2d(x, torch::ones({6, 3, 3, 3}, acpu_)));
  EXPECT_ANY_THROW(torch::conv2d(x, torch::ones({6, 4, 9, 9}, acpu_)));
  EXPECT_ANY_THROW(torch::layer_norm(x, {4}));
  EXPECT_ANY_THROW(torch::group_norm(x, 2, torch::ones({3}, acpu_)));
  EXPECT_ANY_THROW(
      torch::batch_norm(x, torch::ones({3}, acpu_), {}, {}, {}, true, 0.1, 1e-5, false));
  EXPECT_ANY_THROW(torch::where(x > 0, x, torch::ones({3}, acpu_)));
  EXPECT_ANY_THROW(x.index_select(0, torch::ones({1}, acpu_)));
  EXPECT_ANY_THROW(torch::nll_loss2d(x, torch::ones({2, 4, 5}, acpu_).to(torch::kLong)));
}

}  // namespace layout_rules_test
}  // namespace runahead::device
