// The learned layouts: calls that were made before wait nowhere, and what a layout depends on is in
// the key. Those of other libraries are in tests/python/custom_operators_test.py.
#include "core/device/device_fixture.h"

namespace runahead::device {
namespace layout_cache_test {

using at::Tensor;
using Counts = std::map<std::string, std::uint64_t>;

using LayoutCacheTest = DeviceTest;

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

TEST_F(LayoutCacheTest, RepeatsWithAGivenSizeWaitOnce) {
  const Tensor repeats = torch::tensor({1, 2, 3}).to(acpu_);
  (void)at::repeat_interleave(repeats, std::optional<std::int64_t>(6));
  reset_peaks();

  const Tensor repeated = at::repeat_interleave(repeats, std::optional<std::int64_t>(6));

  EXPECT_EQ(blocking_operators(), Counts{});
  EXPECT_TRUE(is_bit_equal(repeated, torch::tensor({0, 1, 1, 2, 2, 2})));
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

}  // namespace layout_cache_test
}  // namespace runahead::device
