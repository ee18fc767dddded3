// What is known of results before they are computed: the table of layouts, those that are learned,
// and those that follow from rules. A full table is in tests/python/layouts_test.py.
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/device/device_fixture.h"
#include "core/device/layouts/layout_table.h"

namespace runahead::device {
namespace layouts_test {

using at::Tensor;
using Counts = std::map<std::string, std::uint64_t>;
using LayoutCacheTest = DeviceTest;
using Tensors = std::vector<Tensor>;
using LayoutRules = DeviceTest;

TEST(LayoutTable, GivesManyThreadsTheSameCopies) {
  LayoutTable table;
  constexpr std::int64_t kLayouts = 500;
  std::vector<std::vector<const TensorLayout*>> found(4);
  std::vector<std::thread> threads;
  for (auto& mine : found) {
    threads.emplace_back([&] {
      for (std::int64_t i = 0; i < kLayouts; ++i) {
        mine.push_back(table.find_contiguous({i, 2}, at::kFloat));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  for (const auto& other : found) EXPECT_EQ(other, found[0]);
}

// Calls that were made before wait nowhere, and what a layout depends on is in the key. The layouts
// of other libraries are in tests/python/custom_operators_test.py.
TEST_F(LayoutCacheTest, IntegerIndicesWaitOnceAndMasksAlways) {
  const Tensor x = torch::arange(12).view({4, 3}).to(acpu_);
  const Tensor rows = torch::tensor({2, 0}).to(acpu_);
  const Tensor other_rows = torch::tensor({1, 1}).to(acpu_);
  (void)x.index({rows});
  reset_peaks();

  const Tensor chosen = x.index({other_rows});
  EXPECT_EQ(blocking_operators(), Counts{});
  const Tensor masked = x.index({x > 4});
  const Tensor fewer = x.index({x > 7});

  EXPECT_EQ(chosen.sizes(), at::IntArrayRef({2, 3}));
  EXPECT_EQ(masked.size(0), 7);
  EXPECT_EQ(fewer.size(0), 4);
  EXPECT_EQ(blocking_operators(), (Counts{{"aten::index.Tensor", 2}}));
}

TEST_F(LayoutCacheTest, LengthsOnTheHostAreInTheKey) {
  const Tensor padded = torch::arange(12).to(torch::kFloat).view({3, 2, 2}).to(acpu_);
  for (int call = 0; call < 2; ++call) {
    const auto shorter = torch::_pack_padded_sequence(padded, torch::tensor({3, 1}), false);
    const auto longer = torch::_pack_padded_sequence(padded, torch::tensor({3, 3}), false);

    EXPECT_EQ(std::get<0>(shorter).sizes(), at::IntArrayRef({4, 2}));
    EXPECT_EQ(std::get<0>(longer).sizes(), at::IntArrayRef({6, 2}));
    EXPECT_EQ(std::get<0>(longer).sum().item<float>(), 66.0F);
  }
}

/// Given x (2, 4, 11, 13), weight (6, 4, 3, 3), scale (4), indices (5) and targets (2, 11, 13).
Tensors call_common_operators(const Tensors& t) {
  const Tensor image = t[0].detach().requires_grad_();
  const Tensor kernel = t[1].detach().requires_grad_();
  Tensor hidden = torch::conv2d(image, kernel, {}, 1, 1);
  hidden = torch::group_norm(torch::layer_norm(hidden, {11, 13}), 2);
  hidden = torch::batch_norm(hidden, {}, {}, {}, {}, true, 0.1, 1e-5, false);
  torch::adaptive_avg_pool2d(hidden, {3, 5}).square().sum().backward();
  return {
      image.grad(),
      torch::conv2d(t[0], t[1], {}, 2, 1),
      torch::conv_transpose2d(t[0], t[1].transpose(0, 1).contiguous(), {}, 2, 0, 1),
      torch::layer_norm(t[0], {11, 13}),
      torch::group_norm(t[0], 2, t[2], t[2]),
      torch::batch_norm(t[0], t[2], t[2], {}, {}, true, 0.1, 1e-5, false),
      torch::where(t[0] > 0, t[0], t[0].exp()),
      t[0].index_select(3, t[3]),
      torch::embedding(t[0].view({8, 143}), t[3]),
      torch::adaptive_avg_pool2d(t[0], {3, 5}),
      torch::nll_loss2d(t[0], t[4]),
      torch::max_pool2d(t[0], 2),
      std::get<0>(t[0].max(3)),
      t[0].gather(1, t[4].unsqueeze(1)),
      std::get<0>(t[0].topk(3)),
      std::get<0>(t[0].sort(3)),
      t[0].cumsum(2),
      t[0].masked_fill(t[0] > 0, 1.5),
  };
}

// Method: call each while the worker is held, on sizes that no other test uses; then compare with
// cpu.
TEST_F(LayoutRules, CommonOperatorsDoNotWaitOnTheirFirstCall) {
  torch::manual_seed(1);
  const Tensors host{torch::randn({2, 4, 11, 13}), torch::randn({6, 4, 3, 3}), torch::randn({4}),
                     torch::tensor({0, 3, 1, 1, 2}), torch::randint(4, {2, 11, 13}, torch::kLong)};
  Tensors device;
  for (const Tensor& tensor : host) device.push_back(tensor.to(acpu_));
  Tensors results;
  {
    WorkerGate gate;
    results = call_common_operators(device);
    EXPECT_EQ(blocking_operators(), Counts{});
  }

  const Tensors expected = call_common_operators(host);
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_TRUE(is_bit_equal(results[i], expected[i])) << i;
  }
}

}  // namespace layouts_test
}  // namespace runahead::device
