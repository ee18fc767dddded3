#include "core/train/cost_model.h"

#include <gtest/gtest.h>

namespace runahead::train {
namespace {

using config::SyncConfig;
using config::SyncPolicyKind;

constexpr BatchCost kSlowBackEnd{.t1_seconds = 1.0, .t2_seconds = 4.0, .t3_seconds = 0.5};
constexpr BatchCost kSlowFrontEnd{.t1_seconds = 3.0, .t2_seconds = 1.0, .t3_seconds = 0.5};

TEST(CostModel, BatchesThatAreWaitedForAddUp) {
  const SyncConfig every_batch{.policy = SyncPolicyKind::kEveryBatch};

  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowBackEnd, every_batch, 10), 55.0);
  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowFrontEnd, every_batch, 10), 45.0);
}

TEST(CostModel, BatchesThatAreNotWaitedForOverlap) {
  const SyncConfig none{.policy = SyncPolicyKind::kNone};

  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowBackEnd, none, 10), 41.5);
  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowFrontEnd, none, 10), 31.5);
}

TEST(CostModel, EveryNIsGroupsAndARest) {
  const SyncConfig every_four{.policy = SyncPolicyKind::kEveryN, .n = 4};

  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowBackEnd, every_four, 10), 2 * 17.5 + 9.5);
}

TEST(CostModel, WindowOfOneIsAWaitPerBatchAndLargerOnesCostNothing) {
  const SyncConfig one{.policy = SyncPolicyKind::kWindow, .batches = 1};
  const SyncConfig two{.policy = SyncPolicyKind::kWindow, .batches = 2};

  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowBackEnd, one, 10), 55.0);
  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowBackEnd, two, 10), 41.5);
}

TEST(CostModel, BatchesRunAheadOnlyOfASlowBackEnd) {
  const SyncConfig none{.policy = SyncPolicyKind::kNone};

  EXPECT_EQ(predicted_batches_in_flight(kSlowBackEnd, none, 10), 10 - 2);
  EXPECT_EQ(predicted_batches_in_flight(kSlowFrontEnd, none, 10), 1);
}

TEST(CostModel, PoliciesBoundTheBacklog) {
  EXPECT_EQ(predicted_batches_in_flight(kSlowBackEnd, {.policy = SyncPolicyKind::kEveryBatch}, 10),
            1);
  EXPECT_EQ(predicted_batches_in_flight(kSlowBackEnd,
                                        {.policy = SyncPolicyKind::kWindow, .batches = 3}, 10),
            3);
  EXPECT_EQ(predicted_backlog_bytes(kSlowBackEnd, {.policy = SyncPolicyKind::kBudget, .bytes = 500},
                                    10, 100),
            500);
  EXPECT_EQ(predicted_backlog_bytes(kSlowBackEnd, {.policy = SyncPolicyKind::kNone}, 10, 100), 800);
}

TEST(CostModel, NoBatchesCostNothing) {
  const SyncConfig none{.policy = SyncPolicyKind::kNone};

  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowBackEnd, none, 0), 0.0);
  EXPECT_EQ(predicted_batches_in_flight(kSlowBackEnd, none, 0), 0);
}

}  // namespace
}  // namespace runahead::train
