#include "core/train/policies/cost_model.h"

#include <gtest/gtest.h>

namespace runahead::train {
namespace {

/// The two sides work in turn within a batch, as d2l's MXNet edition takes them to.
constexpr BatchCost in_turn(double t1, double t2, double t3) {
  return {.t1_seconds = t1,
          .t2_seconds = t2,
          .t3_seconds = t3,
          .t1_before_seconds = t1,
          .t2_result_seconds = t2};
}

constexpr BatchCost kSlowBackEnd = in_turn(1.0, 4.0, 0.5);
constexpr BatchCost kSlowFrontEnd = in_turn(3.0, 1.0, 0.5);
/// The back end has its first operation after 0.5 s, the result after 1 s of 4 s.
constexpr BatchCost kOverlapping{.t1_seconds = 1.0,
                                 .t2_seconds = 4.0,
                                 .t3_seconds = 0.5,
                                 .t1_before_seconds = 0.5,
                                 .t2_result_seconds = 1.0};
constexpr CostShape kNone{};
constexpr CostShape kEveryBatch{.batches_per_wait = 1};

TEST(CostModel, BatchesThatAreWaitedForAddUp) {
  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowBackEnd, kEveryBatch, 10), 55.0);
  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowFrontEnd, kEveryBatch, 10), 45.0);
}

TEST(CostModel, BatchesThatAreNotWaitedForOverlap) {
  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowBackEnd, kNone, 10), 41.5);
  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowFrontEnd, kNone, 10), 31.5);
}

TEST(CostModel, WaitThatEndsWhileTheBackEndIsBusyCostsNothing) {
  EXPECT_DOUBLE_EQ(predicted_total_seconds(kOverlapping, kEveryBatch, 10), 0.5 + 40.0 + 0.5);
}

TEST(CostModel, WaitCostsWhatTheBackEndIsIdle) {
  BatchCost cost = kOverlapping;
  cost.t2_result_seconds = 3.5;

  EXPECT_DOUBLE_EQ(predicted_total_seconds(cost, kEveryBatch, 10), 9 * 4.5 + 5.0);
}

TEST(CostModel, EveryNIsGroupsAndARest) {
  const CostShape every_four{.batches_per_wait = 4};

  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowBackEnd, every_four, 10), 2 * 17.5 + 9.5);
  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowBackEnd, every_four, 8), 2 * 17.5);
}

TEST(CostModel, WindowOfOneIsAWaitPerBatchAndLargerOnesCostNothing) {
  const CostShape one{.batches_in_flight = 1};
  const CostShape two{.batches_in_flight = 2};

  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowBackEnd, one, 10), 55.0);
  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowBackEnd, two, 10), 41.5);
}

TEST(CostModel, SlowerSideIsTheBottleneck) {
  EXPECT_EQ(bottleneck(kSlowBackEnd), Bottleneck::kBackEnd);
  EXPECT_EQ(bottleneck(kSlowFrontEnd), Bottleneck::kFrontEnd);
}

TEST(CostModel, BatchesQueueUpOnlyBeforeASlowBackEnd) {
  EXPECT_DOUBLE_EQ(predicted_batches_queued(kSlowBackEnd, kNone, 10), 10 - (10.0 - 1.0) / 4.0);
  EXPECT_DOUBLE_EQ(predicted_batches_queued(kSlowFrontEnd, kNone, 10), 1.0);
}

TEST(CostModel, PoliciesBoundWhatIsQueued) {
  EXPECT_DOUBLE_EQ(predicted_batches_queued(kSlowBackEnd, kEveryBatch, 10), 1.0);
  EXPECT_DOUBLE_EQ(predicted_batches_queued(kSlowBackEnd, {.batches_in_flight = 3}, 10), 3.0);
  EXPECT_DOUBLE_EQ(predicted_batches_queued(kSlowBackEnd, {.batches_per_wait = 5}, 10),
                   5 - (5.0 - 1.0) / 4.0);
}

TEST(CostModel, NoBatchesCostNothing) {
  EXPECT_DOUBLE_EQ(predicted_total_seconds(kSlowBackEnd, kNone, 0), 0.0);
  EXPECT_DOUBLE_EQ(predicted_batches_queued(kSlowBackEnd, kNone, 0), 0.0);
}

}  // namespace
}  // namespace runahead::train
