#include "core/train/pacer.h"

#include <gtest/gtest.h>

#include "core/device/device_fixture.h"

namespace runahead {
namespace pacer_test {

using device::WorkerGate;

class PacerTest : public device::DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    x_ = torch::zeros({}, acpu_);
    device::synchronize();
  }
  torch::Tensor issue_batch() { return x_ += 1; }
  static engine::RunAheadLimit limit() { return device::options().limit.value(); }

  torch::Tensor x_{};
};

TEST_F(PacerTest, EveryBatchWaitsForTheLossOrElseForAllThatWasIssued) {
  Pacer pacer(acpu_, {"every_batch", {{"wait", "loss_ready"}}});
  issue_batch();
  pacer.after_batch();
  EXPECT_EQ(device::backlog().operations, 0);
  const torch::Tensor loss = issue_batch() + 1;
  WorkerGate gate;
  pacer.after_batch(loss);
  EXPECT_EQ(device::backlog().operations, 1) << "the gate, which was issued after the loss";
}

TEST_F(PacerTest, BudgetSetsTheDevicesLimitOfBytesAndKeepsTheOthers) {
  device::set_limit({.operations = 7, .bytes = 100, .notice_bytes = 50});
  const Pacer pacer(acpu_, {"budget", {{"bytes", "1MiB"}}});
  EXPECT_EQ(limit().bytes, 1U << 20);
  EXPECT_EQ(limit().operations, 7);
  EXPECT_EQ(limit().notice_bytes, std::nullopt);
}

TEST_F(PacerTest, AdaptiveChoosesTheOperationsInFlightAndTheLatestPacerObserves) {
  device::set_limit({.bytes = 100});
  Pacer first(acpu_, {"adaptive", {{"ceiling", 1000}}});
  EXPECT_EQ(limit().bytes, 100) << "less than the ceiling";
  device::set_limit({});
  Pacer second(acpu_, {"adaptive", {{"ceiling", 1000}}});
  EXPECT_EQ(limit().bytes, 1000);
  for (int i = 0; i < 8; ++i) issue_batch();
  second.after_batch();
  EXPECT_EQ(limit().operations, 10) << "of a batch, and a quarter";
}

}  // namespace pacer_test
}  // namespace runahead
