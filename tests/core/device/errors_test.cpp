// Errors: what can be told at the call is thrown there; a kernel's failure is thrown by reads of
// what it spoiled, with the operator's name, until that is overwritten.
#include <gmock/gmock.h>

#include <functional>

#include "core/device/device_fixture.h"

namespace runahead::device {
namespace {

using Errors = DeviceTest;

at::Tensor select_out_of_range(const at::Tensor& x) {
  return x.index_select(0, torch::tensor({100}, x.options().dtype(torch::kLong)));
}

// The first call of a signature may block and throw at the call; later ones are asynchronous.
at::Tensor failed_tensor(const at::Tensor& x) {
  x.index_select(0, torch::tensor({1}, x.options().dtype(torch::kLong)));
  return select_out_of_range(x);
}

TEST_F(Errors, WrongShapesThrowAtTheCall) {
  const at::Tensor x = torch::ones({2, 3}, acpu_);

  EXPECT_THROW(x + torch::ones({2, 4}, acpu_), c10::Error);
  EXPECT_THROW(x.mm(x), c10::Error);
  EXPECT_THROW(torch::mse_loss(x, torch::ones({5, 7}, acpu_)), c10::Error);
}

TEST_F(Errors, WrongTypesThrowAtTheCall) {
  const at::Tensor x = torch::ones({2, 2}, acpu_);

  EXPECT_THROW(x.mm(torch::ones({2, 2}, x.options().dtype(torch::kLong))), c10::Error);
}

TEST_F(Errors, TensorsOfOtherDevicesAreNamed) {
  const at::Tensor x = torch::ones({2, 2}, acpu_);

  EXPECT_THROW(x + torch::ones({2, 2}, at::kMeta), c10::Error);
}

TEST_F(Errors, FailedKernelThrowsAtTheNextReadWithItsName) {
  const at::Tensor bad = failed_tensor(torch::ones({4}, acpu_));
  const at::Tensor dependent = bad + 1;

  try {
    (void)dependent.cpu();
    FAIL() << "the read did not throw";
  } catch (const engine::OperationError& error) {
    EXPECT_EQ(error.operation_name(), "aten::index_select");
    EXPECT_NE(std::string(error.what()).find("Float[4], Long[1]"), std::string::npos)
        << error.what();
    EXPECT_FALSE(error.is_out_of_memory());
  }
}

TEST_F(Errors, FailureLeavesOtherTensorsAlone) {
  const at::Tensor x = torch::ones({4}, acpu_);
  const at::Tensor bad = failed_tensor(x);

  EXPECT_EQ((x + 1).sum().item<float>(), 8.0F);
}

TEST_F(Errors, SpoiledTensorStaysSpoiledUntilItIsOverwrittenWhole) {
  at::Tensor x = torch::ones({4}, acpu_);
  x.index_add_(0, torch::tensor({1}, x.options().dtype(torch::kLong)), torch::ones({1}, acpu_));
  x.index_add_(0, torch::tensor({100}, x.options().dtype(torch::kLong)), torch::ones({1}, acpu_));

  EXPECT_THROW((void)x.cpu(), engine::OperationError);
  x.slice(0, 0, 2).fill_(1);
  EXPECT_THROW((void)x.cpu(), engine::OperationError);
  x.fill_(2);

  EXPECT_TRUE(is_bit_equal(x, torch::full({4}, 2.0F)));
}

TEST_F(Errors, AllocationThatFailsIsOutOfMemoryAndNamesTheOperator) {
  const at::Tensor column = torch::ones({1 << 22, 1}, acpu_);
  const at::Tensor row = torch::ones({1, 1 << 22}, acpu_);
  const at::Tensor huge = column.mm(row);  // 64 TiB: promised at once, refused when it runs.

  try {
    wait_for(huge);
    FAIL() << "the wait did not throw";
  } catch (const engine::OperationError& error) {
    EXPECT_TRUE(error.is_out_of_memory());
    EXPECT_EQ(error.operation_name(), "aten::mm");
    EXPECT_NE(std::string(error.what()).find("[4194304, 1]"), std::string::npos) << error.what();
  }
  EXPECT_THROW((void)(huge + 1).sum().item<float>(), c10::OutOfMemoryError);
  EXPECT_THROW((void)huge.nonzero(), c10::OutOfMemoryError);
}

TEST_F(Errors, SynchronizeReportsEachErrorOnce) {
  const at::Tensor bad = failed_tensor(torch::ones({4}, acpu_));

  EXPECT_THROW(synchronize(), engine::OperationError);
  EXPECT_NO_THROW(synchronize());
}

TEST_F(Errors, OtherLayoutsAreRefusedByOperatorAndLayout) {
  const at::Tensor x = torch::ones({2, 2}, acpu_);
  const auto message_of = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "no error";
  };

  EXPECT_THAT(message_of([&] {
                torch::empty({2, 2}, x.options().layout(torch::kSparse));
              }),
              ::testing::HasSubstr("aten::empty.memory_format: acpu has strided tensors only"));
  EXPECT_THAT(message_of([&] { x.to_sparse(); }), ::testing::HasSubstr("sparse"));
  EXPECT_THAT(message_of([&] {
                torch::mm(torch::ones({2, 2}).to_sparse(), x);
              }),
              ::testing::HasSubstr("mm"));
  EXPECT_THAT(message_of([&] { torch::quantize_per_tensor(x, 0.1, 0, torch::kQInt8); }),
              ::testing::HasSubstr("quantize_per_tensor"));
  EXPECT_TRUE(is_bit_equal(x + x, torch::full({2, 2}, 2.0F)));
}

TEST_F(Errors, OverlapsThrowAtTheCall) {
  const at::Tensor x = torch::ones({8}, acpu_);

  EXPECT_THROW(x.slice(0, 1).copy_(x.slice(0, 0, 7)), c10::Error);
  EXPECT_THROW(x.slice(0, 1).add_(x.slice(0, 0, 7)), c10::Error);
  EXPECT_THROW(torch::ones({1}, acpu_).expand({4}).add_(1), c10::Error);
  EXPECT_THROW(torch::ones({1}, acpu_).expand({4}).copy_(torch::ones({4}, acpu_)), c10::Error);
  at::Tensor part = x.slice(0, 1);
  EXPECT_THROW(torch::add_out(part, x.slice(0, 0, 7), x.slice(0, 0, 7)), c10::Error);
  EXPECT_THROW(torch::cat_out(part, {x.slice(0, 0, 4), x.slice(0, 4, 7)}), c10::Error);
  EXPECT_TRUE(is_bit_equal(x, torch::ones({8})));
  EXPECT_TRUE(is_bit_equal(torch::add_out(part, part, part), torch::full({7}, 2.0F)));
}

}  // namespace
}  // namespace runahead::device
