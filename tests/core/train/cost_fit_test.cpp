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

std::vector<BatchEvents> each_waiting(double seconds) {
  std::vector<BatchEvents> batches = unwaited();
  for (BatchEvents& batch : batches) batch.waited_seconds = seconds;
  return batches;
}

std::vector<BatchEvents> one_slow_among_many() {
  std::vector<BatchEvents> batches = unwaited();
  batches.push_back(batch_at(6, 47, 53, 8));
  batches.push_back(batch_at(8, 55, 61, 10));
  return batches;
}

/// Of the second from the data to the end of issue, the back end is busy for a quarter.
std::vector<BatchEvents> mostly_idle() {
  std::vector<BatchEvents> batches{batch_at(0, 2.5, 2.5, 2), batch_at(2, 4.5, 4.5, 4)};
  batches[0].busy_seconds_when_issued = 0.25;
  batches[0].busy_seconds_when_finished = 0.75;
  batches[1].busy_seconds_when_issued = 1.0;
  batches[1].busy_seconds_when_finished = 1.5;
  return batches;
}

struct Row {
  const char* what;
  std::vector<BatchEvents> batches;
  LoopKind loop;
  BatchCost cost;  ///< t1, t2, t3, t1 before the back end begins, t2 until the result.
};

std::vector<Row> rows() {
  return {
      {"queued batches take the time between their ends", unwaited(), {}, {2, 8, 0.25, 1, 2}},
      {"waits within an issue are not its own", each_waiting(0.75), {}, {1.25, 8, 0.25, 1, 2}},
      {"batches waited for take the time from their data on",
       {batch_at(0, 9, 9, 9.5), batch_at(9.5, 18.5, 18.5, 19)},
       {.waits_for_loss_alone = false},
       {2, 8, 0.5, 1, 8}},
      {"a wait for the loss alone returns after it",
       {batch_at(0, 3, 9, 3.5), batch_at(3.5, 11, 17, 11.5)},
       {},
       {2, 8, 0.5, 1, 2}},
      {"a result there before the wait says nothing of its return",
       {batch_at(0, 1.5, 2.5, 2.1)},
       {},
       {2, 1.5, 0.25, 1, 0.5}},
      {"time without anything to execute is not the back end's",
       mostly_idle(),
       {},
       {2, 0.75, 0.25, 1, 0.75}},
      {"a back end that makes the data begins with the batch",
       unwaited(),
       {.makes_data_on_device = true},
       {2, 8, 0.25, 0, 2}},
      {"a device that executes at issue takes the step after the data",
       {batch_at(0, 1.5, 2, 2.5), batch_at(2.5, 4, 4.5, 5)},
       {.executes_at_issue = true},
       {1, 1, 0.25, 1, 1}},
      {"a slow batch among many changes nothing", one_slow_among_many(), {}, {2, 8, 0.25, 1, 2}},
  };
}

TEST(CostFit, IsThatOfTheTable) {
  for (const auto& [what, batches, loop, expected] : rows()) {
    SCOPED_TRACE(what);
    const BatchCost cost = fit_batch_cost(batches, loop, 0.25).value();
    EXPECT_DOUBLE_EQ(cost.t1_seconds, expected.t1_seconds);
    EXPECT_DOUBLE_EQ(cost.t2_seconds, expected.t2_seconds);
    EXPECT_DOUBLE_EQ(cost.t3_seconds, expected.t3_seconds);
    EXPECT_DOUBLE_EQ(cost.t1_before_seconds, expected.t1_before_seconds);
    EXPECT_DOUBLE_EQ(cost.t2_result_seconds, expected.t2_result_seconds);
  }
  EXPECT_EQ(fit_batch_cost({}, {}, 0.25), std::nullopt);
}

}  // namespace cost_fit_test
}  // namespace runahead::train
