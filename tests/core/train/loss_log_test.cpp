#include "core/train/loss_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/device/device_fixture.h"

namespace runahead::train {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LossLog, ReadsTheMeanOfSoManyTogether) {
  LossLog log(2);

  EXPECT_FALSE(log.add(torch::tensor(1.0F)));
  EXPECT_THAT(log.means(), IsEmpty());
  EXPECT_TRUE(log.add(torch::tensor(2.0F)));
  EXPECT_FALSE(log.add(torch::tensor(8.0F)));
  EXPECT_TRUE(log.add(torch::tensor(9.0F)));

  EXPECT_THAT(log.means(), ElementsAre(1.5, 8.5));
}

TEST(LossLog, KeepsAtMostThoseOfOneReading) {
  LossLog log(3);
  std::size_t most = 0;
  for (int i = 0; i < 10; ++i) {
    log.add(torch::tensor(1.0F));
    most = std::max(most, log.kept());
  }

  EXPECT_EQ(most, 2U);
  EXPECT_EQ(log.kept(), 1U);
}

TEST(LossLog, KeepsTheLatestMeansAlone) {
  LossLog log(1);
  const auto count = static_cast<int>(LossLog::kMostMeans) + 5;
  for (int i = 0; i < count; ++i) log.add(torch::tensor(static_cast<float>(i)));

  EXPECT_EQ(log.means().size(), LossLog::kMostMeans);
  EXPECT_EQ(log.means().front(), 5.0);
  EXPECT_EQ(log.means().back(), count - 1);
}

TEST(LossLog, NeedsABatchAtLeast) { EXPECT_THROW(LossLog(0), UsageError); }

class LossLogOnDevice : public device::DeviceTest {};

TEST_F(LossLogOnDevice, WaitsForNothingUntilItReads) {
  LossLog log(3);
  const torch::Tensor loss = torch::ones({}, acpu_);
  device::synchronize();
  device::WorkerGate gate;

  EXPECT_FALSE(log.add(loss + 1));
  EXPECT_FALSE(log.add(loss + 2));
  EXPECT_GE(device::backlog().operations, 3U) << "the gate and two additions";
  gate.open();
  EXPECT_TRUE(log.add(loss + 3));

  EXPECT_THAT(log.means(), ElementsAre(3.0));
}

/// Writes down that it was called.
class CalledPolicy final : public SyncPolicy {
 public:
  explicit CalledPolicy(std::string& calls) : calls_(calls) {}
  void before_batch() override { calls_ += "b"; }
  void after_batch(const IssuedBatch& batch) override {
    calls_ += "a" + std::to_string(batch.kept_bytes);
  }

 private:
  std::string& calls_;
};

TEST(LoggingPolicy, LeavesTheWaitingToThePolicyAndTellsOfEachReading) {
  std::string calls;
  std::vector<std::size_t> told;
  LoggingPolicy policy(std::make_unique<CalledPolicy>(calls), 2,
                       [&](const std::vector<double>& means) { told.push_back(means.size()); });

  for (int i = 0; i < 4; ++i) {
    policy.before_batch();
    policy.after_batch({.loss = torch::tensor(1.0F), .kept_bytes = 7});
  }

  EXPECT_EQ(calls, "ba7ba7ba7ba7");
  EXPECT_THAT(told, ElementsAre(1, 2));
}

TEST(LoggingPolicy, NeedsAPolicyAndMayHaveNobodyToTell) {
  EXPECT_THROW(LoggingPolicy(nullptr, 1), UsageError);
  std::string calls;
  LoggingPolicy policy(std::make_unique<CalledPolicy>(calls), 1);

  EXPECT_NO_THROW(policy.after_batch({.loss = torch::tensor(1.0F)}));
}

}  // namespace
}  // namespace runahead::train
