// Copies between host and device: what the caller may change when, what waits, what is counted.
#include "core/device/device_fixture.h"

namespace runahead::device {
namespace copies_test {

using Copies = DeviceTest;

TEST_F(Copies, HostOperandsAreTakenAtIssue) {
  WorkerGate gate;
  at::Tensor scalar = torch::tensor(2.0F);
  const at::Tensor sum = torch::ones({3}, acpu_) + scalar;

  scalar.fill_(100);
  gate.open();

  EXPECT_TRUE(is_bit_equal(sum, torch::full({3}, 3.0F)));
}

/// Non-blocking copies that keep their sources.
class KeptCopies : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    configure({.host_copies = HostCopies::kKeep});
  }
};

TEST_F(KeptCopies, FailIfTheirSourceBecomesTooSmall) {
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

TEST_F(Copies, ConvertTypesAndLayouts) {
  const at::Tensor host = torch::randn({5, 4});

  EXPECT_TRUE(is_bit_equal(host.t().to(acpu_), host.t()));
  EXPECT_TRUE(is_bit_equal(host.to(acpu_).t().cpu(), host.t()));
  EXPECT_TRUE(is_bit_equal(host.to(acpu_, torch::kDouble), host.to(torch::kDouble)));
  at::Tensor target = torch::zeros({5, 4}, torch::kDouble);
  target.copy_(host.to(acpu_));
  EXPECT_TRUE(is_bit_equal(target, host.to(torch::kDouble)));
  at::Tensor row = torch::zeros({5, 4}, acpu_);
  row.copy_(torch::arange(4).to(torch::kFloat));
  EXPECT_TRUE(is_bit_equal(row, torch::arange(4).to(torch::kFloat).expand({5, 4})));
}

TEST_F(Copies, ReadsWaitOnlyForWhatTheyRead) {
  configure({.workers = 2});
  WorkerGate gate;
  const at::Tensor x = torch::full({2}, 3.0F, acpu_);

  EXPECT_EQ(x.sum().item<float>(), 6.0F);  // The gate still holds one of the two workers.

  gate.open();
}

TEST_F(Copies, InputDroppedBeforeUseIsNeverHeld) {
  torch::ones({256}).to(acpu_);

  EXPECT_EQ(memory_stats().held_peak_bytes, 0U);
}

TEST_F(Copies, MetadataIsTakenAtIssue) {
  WorkerGate gate;
  at::Tensor x = torch::arange(6, torch::kFloat).to(acpu_);
  const at::Tensor doubled = x * 2;
  x.resize_({2, 2});
  x = x.t();

  gate.open();

  EXPECT_TRUE(is_bit_equal(doubled, torch::arange(6, torch::kFloat) * 2));
}

}  // namespace copies_test
}  // namespace runahead::device
