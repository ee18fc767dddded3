// Errors: what can be known at the call is thrown there; a kernel's failure is thrown by reads of
// what it spoiled, with the operator's name, until that is overwritten.
#include "core/device/device_fixture.h"

namespace runahead::device {
namespace errors_test {

using Errors = DeviceTest;

at::Tensor select_out_of_range(const at::Tensor& x) {
  return x.index_select(0, torch::tensor({100}, x.options().dtype(torch::kLong)));
}

// The first call of a signature may block and throw at the call; later ones are asynchronous.
at::Tensor failed_tensor(const at::Tensor& x) {
  x.index_select(0, torch::tensor({1}, x.options().dtype(torch::kLong)));
  return select_out_of_range(x);
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

TEST_F(Errors, RecurrentLayersRefuseAWrongNumberOfParameters) {
  const at::Tensor input = torch::ones({2, 3, 4}, acpu_);
  const at::Tensor state = torch::ones({1, 3, 4}, acpu_);

  EXPECT_THROW(torch::gru(input, state, {state, state, state}, true, 1, 0.0, true, false, false),
               c10::Error);
}

TEST_F(Errors, SettingsOutOfRangeAreRefused) {
  EXPECT_THROW(configure({.intra_op_threads = 1'000'000}), UsageError);
  EXPECT_THROW(configure({.wait_hooks = {.after = [](void*) noexcept {}}}), UsageError);
}

TEST_F(Errors, WhatNoWaitHasReportedIsPrintedAtExit) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto end = [this] {
    static_cast<void>(failed_tensor(torch::ones({4}, acpu_)));
    std::exit(0);
  };
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "an error that no wait has reported");
}

TEST_F(Errors, SynchronizeReportsEachErrorOnce) {
  const at::Tensor bad = failed_tensor(torch::ones({4}, acpu_));

  EXPECT_THROW(synchronize(), engine::OperationError);
  EXPECT_NO_THROW(synchronize());
}

}  // namespace errors_test
}  // namespace runahead::device
