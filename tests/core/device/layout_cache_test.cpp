// The learned layouts: calls that were made before wait nowhere; what a layout depends on is in the
// key; an answer that is wrong all the same is found by the worker.
#include <torch/library.h>

#include "core/device/device_fixture.h"

namespace runahead::device {
namespace {

using at::Tensor;
using Counts = std::map<std::string, std::uint64_t>;

using LayoutCacheTest = DeviceTest;

// As many elements as the first one says: a layout that depends on values, and no tag that says so.
Tensor take_first(const Tensor& input) {
  return input.slice(0, 0, input[0].item<int64_t>()).clone();
}
// A Meta kernel that promises one element too many.
Tensor promise_all(const Tensor& input) { return torch::empty_like(input); }
Tensor leave_out_first(const Tensor& input) { return input.slice(0, 1).clone(); }

TORCH_LIBRARY(runahead_test, library) {
  library.def("take_first(Tensor input) -> Tensor");
  library.def("leave_out_first(Tensor input) -> Tensor");
}
TORCH_LIBRARY_IMPL(runahead_test, CPU, library) {
  library.impl("take_first", take_first);
  library.impl("leave_out_first", leave_out_first);
}
TORCH_LIBRARY_IMPL(runahead_test, Meta, library) { library.impl("leave_out_first", promise_all); }

Tensor call(const char* name, const Tensor& input) {
  return c10::Dispatcher::singleton()
      .findSchemaOrThrow(name, "")
      .typed<Tensor(const Tensor&)>()
      .call(input);
}

TEST_F(LayoutCacheTest, OperatorsOfOtherLibrariesAreNotLearned) {
  const char* const name = "runahead_test::take_first";
  for (const std::int64_t count : {2, 3, 2}) {
    const Tensor input = torch::tensor({count, std::int64_t{5}, std::int64_t{6}});
    EXPECT_TRUE(is_bit_equal(call(name, input.to(acpu_)), input.slice(0, 0, count)));
  }
  EXPECT_EQ(blocking_operators(), (Counts{{name, 3}}));
}

TEST_F(LayoutCacheTest, AnswerThatProvesWrongPoisonsTheResultAndIsGivenNoMore) {
  const char* const name = "runahead_test::leave_out_first";
  const Tensor input = torch::tensor({4.0F, 5.0F, 6.0F});
  const Tensor wrong = call(name, input.to(acpu_));

  try {
    (void)wrong.cpu();
    FAIL() << "the read did not throw";
  } catch (const engine::OperationError& error) {
    EXPECT_EQ(error.operation_name(), name);
    EXPECT_NE(std::string(error.what()).find("[2]"), std::string::npos) << error.what();
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(is_bit_equal(call(name, input.to(acpu_)), input.slice(0, 1)));
  }
}

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

}  // namespace
}  // namespace runahead::device
