#include "core/train/policies/load_meter.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <vector>

namespace runahead::train {
namespace {

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
