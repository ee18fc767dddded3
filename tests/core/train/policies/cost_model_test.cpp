#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "core/train/policies/cost_model.h"
#include "core/train/policies/load_meter.h"

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
/// The back end has its first operation after 0.5 s, the result after `result_seconds` of 4 s.
constexpr BatchCost overlapping(double result_seconds) {
  return {.t1_seconds = 1.0,
          .t2_seconds = 4.0,
          .t3_seconds = 0.5,
          .t1_before_seconds = 0.5,
          .t2_result_seconds = result_seconds};
}

struct ModelCase {
  std::string name{};
  BatchCost cost{};
  CostShape shape{};
  std::int64_t batches = 10;
  double total_seconds = 0.0;
  double queued = 0.0;
};

TEST(CostModel, PredictsAsTheTableSays) {
  constexpr CostShape kNone{};
  constexpr CostShape kEveryBatch{.batches_per_wait = 1};
  const std::vector<ModelCase> cases{
      {"batches that are waited for add up", kSlowBackEnd, kEveryBatch, 10, 55.0, 1.0},
      {"with a slow front end too", kSlowFrontEnd, kEveryBatch, 10, 45.0, 1.0},
      {"not waited for they overlap", kSlowBackEnd, kNone, 10, 41.5, 10 - 9.0 / 4.0},
      {"a longer issue leaves less in the queue", in_turn(2.0, 4.0, 0.5), kNone, 10, 42.5,
       10 - 18.0 / 4.0},
      {"a back end that takes no time has no queue", in_turn(0.0, 0.0, 0.0), kNone, 10, 0.0, 1.0},
      {"before a slow front end nothing queues up", kSlowFrontEnd, kNone, 10, 31.5, 1.0},
      {"a wait that ends while the back end is busy costs nothing", overlapping(1.0), kEveryBatch,
       10, 0.5 + 40.0 + 0.5, 1.0},
      {"a wait costs what the back end is idle", overlapping(3.5), kEveryBatch, 10, 9 * 4.5 + 5.0,
       1.0},
      {"every n is groups and a rest",
       kSlowBackEnd,
       {.batches_per_wait = 4},
       10,
       2 * 17.5 + 9.5,
       4 - 3.0 / 4.0},
      {"without a rest", kSlowBackEnd, {.batches_per_wait = 4}, 8, 2 * 17.5, 4 - 3.0 / 4.0},
      {"a window of one is a wait a batch", kSlowBackEnd, {.batches_in_flight = 1}, 10, 55.0, 1.0},
      {"a larger one costs nothing", kSlowBackEnd, {.batches_in_flight = 3}, 10, 41.5, 3.0},
      {"no batches cost nothing", kSlowBackEnd, kNone, 0, 0.0, 0.0},
  };
  for (const ModelCase& tested : cases) {
    SCOPED_TRACE(tested.name);
    EXPECT_DOUBLE_EQ(predicted_total_seconds(tested.cost, tested.shape, tested.batches),
                     tested.total_seconds);
    EXPECT_DOUBLE_EQ(predicted_batches_queued(tested.cost, tested.shape, tested.batches),
                     tested.queued);
  }
  EXPECT_EQ(bottleneck(kSlowBackEnd), Bottleneck::kBackEnd);
  EXPECT_EQ(bottleneck(kSlowFrontEnd), Bottleneck::kFrontEnd);
}

using engine::WaitCause;

TimePoint at(int seconds) { return TimePoint{} + std::chrono::seconds(seconds); }

/// What happens at a meter, at some second.
using Step = std::function<void(LoadMeter&)>;

Step begin(int seconds) {
  return [=](LoadMeter& meter) { meter.begin(at(seconds)); };
}
Step push(int seconds) {
  return [=](LoadMeter& meter) { meter.on_push({.time = at(seconds)}); };
}
Step finish(int seconds) {
  return [=](LoadMeter& meter) { meter.on_finish({.time = at(seconds)}); };
}
Step hold_begin(int seconds, WaitCause cause = WaitCause::kLimit) {
  return [=](LoadMeter& meter) { meter.on_wait_begin({cause, at(seconds)}); };
}
Step hold_end(int seconds, WaitCause cause = WaitCause::kLimit) {
  return [=](LoadMeter& meter) { meter.on_wait_end({cause, at(seconds)}); };
}

struct Load {
  double batch = 0.0;  ///< Seconds, each.
  double held = 0.0;
  double starved = 0.0;
};

Step end_batch(int seconds, const Load& expected) {
  return [=](LoadMeter& meter) {
    const BatchLoad load = meter.end_batch(at(seconds));
    EXPECT_DOUBLE_EQ(load.batch_seconds, expected.batch) << "until " << seconds;
    EXPECT_DOUBLE_EQ(load.held_seconds, expected.held) << "until " << seconds;
    EXPECT_DOUBLE_EQ(load.starved_seconds, expected.starved) << "until " << seconds;
  };
}

struct Case {
  const char* name;
  int workers;
  std::vector<Step> steps;

  friend void PrintTo(const Case& row, std::ostream* out) { *out << row.name; }
};

class LoadMeterCase : public ::testing::TestWithParam<Case> {};

TEST_P(LoadMeterCase, TellsHowLongTheLimitHeldTheFrontEndAndStarvedTheBackEnd) {
  LoadMeter meter(GetParam().workers);
  meter.begin(at(10));
  for (const Step& step : GetParam().steps) step(meter);
}

INSTANTIATE_TEST_SUITE_P(
    , LoadMeterCase,
    ::testing::Values(
        Case{"BackEndThatTheLimitKeptShortOfWorkIsStarved",
             1,
             {push(10), hold_begin(11), hold_end(14), finish(15), push(17),
              end_batch(20, {.batch = 10, .held = 3, .starved = 2})}},
        Case{"StarvedForAtMostAsLongAsTheFrontEndWasHeld",
             1,
             {push(10), hold_begin(11), hold_end(14), finish(15), push(30), finish(31), push(40),
              end_batch(41, {.batch = 31, .held = 3, .starved = 3})}},
        Case{"SlowFrontEndStarvesNobody",
             1,
             {push(13), finish(14), hold_begin(15, WaitCause::kVariable),
              hold_end(17, WaitCause::kVariable), push(20), end_batch(21, {.batch = 11})}},
        Case{"WhatWasHeldInTheBatchBeforeCountsAndNothingOlder",
             1,
             {push(10), hold_begin(10), hold_end(15), end_batch(16, {.batch = 6, .held = 5}),
              finish(17), push(19), end_batch(20, {.batch = 4, .starved = 2}), finish(21), push(23),
              end_batch(24, {.batch = 4})}},
        Case{"WithSeveralWorkersFewerOperationsThanWorkersAreTooFew",
             2,
             {push(10), push(10), hold_begin(10), hold_end(20), finish(21), push(24),
              end_batch(25, {.batch = 15, .held = 10, .starved = 3})}},
        Case{"ThreadsHeldAtOnceCountOnce",
             1,
             {push(10), hold_begin(11), hold_begin(12), hold_end(14),
              end_batch(16, {.batch = 6, .held = 5}), hold_end(18),
              end_batch(19, {.batch = 3, .held = 2})}},
        Case{"BeginningForgetsWhatWasBefore",
             1,
             {push(10), hold_begin(10), hold_end(20), finish(21), begin(30), push(35),
              end_batch(36, {.batch = 6})}}),
    [](const auto& test) { return test.param.name; });

TEST(LoadMeter, CountsWhatWasIssuedAndInFlightInABatch) {
  LoadMeter meter(1);
  for (const Step& step : {begin(10), push(11), push(12), finish(13), push(14)}) step(meter);

  const BatchLoad load = meter.end_batch(at(16));

  EXPECT_DOUBLE_EQ(load.batch_seconds, 6.0);
  EXPECT_EQ(load.operations, 3U);
  EXPECT_EQ(load.most_in_flight, 2U);
  EXPECT_EQ(load.least_in_flight, 0U);
  push(17)(meter);
  const BatchLoad next = meter.end_batch(at(18));
  EXPECT_EQ(next.operations, 1U);
  EXPECT_EQ(next.most_in_flight, 3U);
  EXPECT_EQ(next.least_in_flight, 2U);
  finish(19)(meter);
  push(20)(meter);
  EXPECT_EQ(meter.end_batch(at(21)).least_in_flight, 2U);
}

}  // namespace
}  // namespace runahead::train
