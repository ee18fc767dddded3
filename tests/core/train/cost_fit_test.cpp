#include "core/train/cost_fit.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace runahead::train {
namespace {

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

/// Nobody waits; the back end takes 8 s a batch, its result after 2 s.
std::vector<BatchEvents> unwaited() {
  return {batch_at(0, 3, 9, 2), batch_at(2, 11, 17, 4), batch_at(4, 19, 25, 6)};
}

std::vector<BatchEvents> waiting_within_issue() {
  std::vector<BatchEvents> batches = unwaited();
  for (BatchEvents& batch : batches) batch.waited_seconds = 0.75;
  return batches;
}

/// Between issue and end the back end had nothing to execute for half of the time.
std::vector<BatchEvents> idle_back_end() {
  std::vector<BatchEvents> batches{batch_at(0, 2.5, 2.5, 2), batch_at(2, 4.5, 4.5, 4)};
  batches[0].busy_seconds_when_issued = 0.25;  // Of the second from the data to the end of issue.
  batches[0].busy_seconds_when_finished = 0.75;
  batches[1].busy_seconds_when_issued = 1.0;
  batches[1].busy_seconds_when_finished = 1.5;
  return batches;
}

std::vector<BatchEvents> with_a_slow_one() {
  std::vector<BatchEvents> batches = unwaited();
  batches.push_back(batch_at(6, 47, 53, 8));
  batches.push_back(batch_at(8, 55, 61, 10));
  return batches;
}

struct FitCase {
  std::string name{};
  std::vector<BatchEvents> batches{};
  BatchCost fitted{};
  LoopKind loop{};
};

/// In seconds: issue, execution, return from a wait, data before the back end's, result.
BatchCost cost(double t1, double t2, double t3, double t1_before, double t2_result) {
  return {.t1_seconds = t1,
          .t2_seconds = t2,
          .t3_seconds = t3,
          .t1_before_seconds = t1_before,
          .t2_result_seconds = t2_result};
}

TEST(CostFit, IsAsTheTableSays) {
  constexpr double kUsualReturn = 0.25;
  const std::vector<FitCase> cases{
      {"batches that queue take the time between their ends", unwaited(),
       cost(2.0, 8.0, kUsualReturn, 1.0, 2.0)},
      {"waits within an issue are not the front end's own", waiting_within_issue(),
       cost(1.25, 8.0, kUsualReturn, 1.0, 2.0)},
      {"batches that are waited for take the time from their data on",
       {batch_at(0, 9, 9, 9.5), batch_at(9.5, 18.5, 18.5, 19)},
       cost(2.0, 8.0, 0.5, 1.0, 8.0),
       {.waits_for_loss_alone = false}},
      {"a wait for the loss alone returns after it",
       {batch_at(0, 3, 9, 3.5), batch_at(3.5, 11, 17, 11.5)},
       cost(2.0, 8.0, 0.5, 1.0, 2.0)},
      {"a result that was there before the wait says nothing of its return",
       {batch_at(0, 1.5, 2.5, 2.1)},
       cost(2.0, 1.5, kUsualReturn, 1.0, 0.5)},
      {"time in which the back end had nothing to execute is not its own", idle_back_end(),
       cost(2.0, 0.75, kUsualReturn, 1.0, 0.75)},
      {"a back end that makes the data begins with the batch",
       unwaited(),
       cost(2.0, 8.0, kUsualReturn, 0.0, 2.0),
       {.makes_data_on_device = true}},
      {"a device that executes at issue takes the step after the data",
       {batch_at(0, 1.5, 2, 2.5), batch_at(2.5, 4, 4.5, 5)},
       cost(1.0, 1.0, kUsualReturn, 1.0, 1.0),
       {.executes_at_issue = true}},
      {"one slow batch among many changes nothing", with_a_slow_one(),
       cost(2.0, 8.0, kUsualReturn, 1.0, 2.0)},
  };
  for (const FitCase& tested : cases) {
    SCOPED_TRACE(tested.name);
    const BatchCost fitted = fit_batch_cost(tested.batches, tested.loop, kUsualReturn).value();
    EXPECT_DOUBLE_EQ(fitted.t1_seconds, tested.fitted.t1_seconds);
    EXPECT_DOUBLE_EQ(fitted.t2_seconds, tested.fitted.t2_seconds);
    EXPECT_DOUBLE_EQ(fitted.t3_seconds, tested.fitted.t3_seconds);
    EXPECT_DOUBLE_EQ(fitted.t1_before_seconds, tested.fitted.t1_before_seconds);
    EXPECT_DOUBLE_EQ(fitted.t2_result_seconds, tested.fitted.t2_result_seconds);
  }
  EXPECT_EQ(fit_batch_cost({}, {}, 0.0), std::nullopt);
}

}  // namespace
}  // namespace runahead::train
