// Errors: what can be known at the call is thrown there; a kernel's failure is thrown by reads of
// what it spoiled, with the operator's name, until that is overwritten.
#include "core/device/device.h"
#include "core/device/device_fixture.h"

namespace runahead::device {
namespace errors_test {

using Errors = DeviceTest;

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
  EXPECT_THROW(configure({.allocation = Allocation::kCaching, .freed_memory = FreedMemory::kKept}),
               UsageError);
  EXPECT_THROW(hold_workers(0.0), UsageError);
  configure({.workers = 0});
  EXPECT_THROW(hold_workers(1.0), UsageError);
}

TEST_F(Errors, FinishIsRefusedInTheBodyOfAnOperationAndLeavesTheDeviceAsItWas) {
  const auto limit = options().limit->operations;
  std::promise<bool> is_refused;
  Runtime::get().push({.name = "finishes", .body = [&is_refused] {
                         try {
                           finish();
                           is_refused.set_value(false);
                         } catch (const UsageError&) {
                           is_refused.set_value(true);
                         }
                       }});

  EXPECT_TRUE(is_refused.get_future().get());
  synchronize();
  EXPECT_FALSE(Runtime::get().is_finished());
  EXPECT_EQ(options().limit->operations, limit);
}

TEST_F(Errors, NonBlockingCopiesFailIfTheirSourceBecomesTooSmall) {
  configure({.host_copies = HostCopies::kKeep});
  WorkerGate gate;
  at::Tensor source = torch::ones({1000});
  at::Tensor target = torch::zeros({1000}, acpu_);
  target.copy_(source, /*non_blocking=*/true);
  source.storage().unsafeGetStorageImpl()->set_nbytes(16);
  gate.open();

  EXPECT_THROW((void)target.cpu(), engine::OperationError);
  synchronize();
  EXPECT_EQ(memory_stats().held_bytes, 0U);
}

}  // namespace errors_test
}  // namespace runahead::device
