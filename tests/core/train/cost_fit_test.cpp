#include "core/train/cost_fit.h"

#include <gtest/gtest.h>

#include <chrono>

namespace runahead::train {
namespace cost_fit_test {

TimePoint at(double seconds) {
  return TimePoint{} +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

/// A batch that the front end begins at `admitted`: 1 s of data, 1 s of issue.
BatchEvents batch_at(double admitted, double computed, double finished, double returned) {
  return {.admitted = at(admitted),
          .made = at(admitted + 1),
          .issued = at(admitted + 2),
          .returned = at(returned),
          .computed = at(computed),
          .finished = at(finished)};
}

/// Nothing waits; the back end takes 8 s a batch, its result after 2 s.
std::vector<BatchEvents> unwaited() {
  return {batch_at(0, 3, 9, 2), batch_at(2, 11, 17, 4), batch_at(4, 19, 25, 6)};
}

TEST(CostFit, BatchesThatQueueTakeTheTimeBetweenTheirEnds) {
  const BatchCost cost = fit_batch_cost(unwaited(), {}, 0.25).value();

  EXPECT_DOUBLE_EQ(cost.t1_seconds, 2.0);
  EXPECT_DOUBLE_EQ(cost.t1_before_seconds, 1.0);
  EXPECT_DOUBLE_EQ(cost.t2_seconds, 8.0);
  EXPECT_DOUBLE_EQ(cost.t2_result_seconds, 2.0);
  EXPECT_DOUBLE_EQ(cost.t3_seconds, 0.25);
}

TEST(CostFit, WaitsWithinAnIssueAreNotTheFrontEndsOwn) {
  std::vector<BatchEvents> batches = unwaited();
  for (BatchEvents& batch : batches) batch.waited_seconds = 0.75;

  EXPECT_DOUBLE_EQ(fit_batch_cost(batches, {}, 0.25).value().t1_seconds, 1.25);
}

TEST(CostFit, BatchesThatAreWaitedForTakeTheTimeFromTheirDataOn) {
  const std::vector<BatchEvents> batches{batch_at(0, 9, 9, 9.5), batch_at(9.5, 18.5, 18.5, 19)};

  const BatchCost cost = fit_batch_cost(batches, {.waits_for_loss_alone = false}, 0.25).value();

  EXPECT_DOUBLE_EQ(cost.t1_before_seconds, 1.0);
  EXPECT_DOUBLE_EQ(cost.t2_seconds, 8.0);
  EXPECT_DOUBLE_EQ(cost.t2_result_seconds, 8.0);
  EXPECT_DOUBLE_EQ(cost.t3_seconds, 0.5);
}

TEST(CostFit, WaitForTheLossAloneReturnsAfterIt) {
  const std::vector<BatchEvents> batches{batch_at(0, 3, 9, 3.5), batch_at(3.5, 11, 17, 11.5)};

  const BatchCost cost = fit_batch_cost(batches, {}, 0.25).value();

  EXPECT_DOUBLE_EQ(cost.t2_seconds, 8.0);
  EXPECT_DOUBLE_EQ(cost.t2_result_seconds, 2.0);
  EXPECT_DOUBLE_EQ(cost.t3_seconds, 0.5);
}

TEST(CostFit, ResultThatWasThereBeforeTheWaitSaysNothingOfItsReturn) {
  const std::vector<BatchEvents> batches{batch_at(0, 1.5, 2.5, 2.1)};

  EXPECT_DOUBLE_EQ(fit_batch_cost(batches, {}, 0.25).value().t3_seconds, 0.25);
}

TEST(CostFit, TimeInWhichTheBackEndHadNothingToExecuteIsNotItsOwn) {
  std::vector<BatchEvents> batches{batch_at(0, 2.5, 2.5, 2), batch_at(2, 4.5, 4.5, 4)};
  batches[0].busy_seconds_when_issued = 0.25;  // Of the second from the data to the end of issue.
  batches[0].busy_seconds_when_finished = 0.75;
  batches[1].busy_seconds_when_issued = 1.0;
  batches[1].busy_seconds_when_finished = 1.5;

  const BatchCost cost = fit_batch_cost(batches, {}, 0.0).value();

  EXPECT_DOUBLE_EQ(cost.t2_seconds, 0.75);
  EXPECT_EQ(bottleneck(cost), Bottleneck::kFrontEnd);
}

TEST(CostFit, BackEndThatMakesTheDataBeginsWithTheBatch) {
  const LoopKind loop{.makes_data_on_device = true};

  EXPECT_DOUBLE_EQ(fit_batch_cost(unwaited(), loop, 0.0).value().t1_before_seconds, 0.0);
}

TEST(CostFit, DeviceThatExecutesAtIssueTakesTheStepAfterTheData) {
  const std::vector<BatchEvents> batches{batch_at(0, 1.5, 2, 2.5), batch_at(2.5, 4, 4.5, 5)};

  const BatchCost cost = fit_batch_cost(batches, {.executes_at_issue = true}, 0.25).value();

  EXPECT_DOUBLE_EQ(cost.t1_seconds, 1.0);
  EXPECT_DOUBLE_EQ(cost.t2_seconds, 1.0);
  EXPECT_DOUBLE_EQ(cost.t1_before_seconds, 1.0);
  EXPECT_DOUBLE_EQ(cost.t2_result_seconds, 1.0);
  EXPECT_DOUBLE_EQ(cost.t3_seconds, 0.25);
}

TEST(CostFit, OneSlowBatchAmongManyChangesNothing) {
  std::vector<BatchEvents> batches = unwaited();
  batches.push_back(batch_at(6, 47, 53, 8));
  batches.push_back(batch_at(8, 55, 61, 10));

  EXPECT_DOUBLE_EQ(fit_batch_cost(batches, {}, 0.0).value().t2_seconds, 8.0);
}

TEST(CostFit, NothingIsKnownWithoutABatch) { EXPECT_EQ(fit_batch_cost({}, {}, 0.0), std::nullopt); }

}  // namespace cost_fit_test
}  // namespace runahead::train
