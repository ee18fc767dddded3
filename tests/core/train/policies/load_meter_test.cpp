#include "core/train/policies/load_meter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace runahead::train {
namespace {

using engine::WaitCause;

TimePoint at(int seconds) { return TimePoint{} + std::chrono::seconds(seconds); }

/// What a meter is told at `second`.
struct Step {
  enum Kind { kPush, kFinish, kHeld, kReleased, kWaits, kGoesOn, kBegin, kEndBatch };
  Kind kind{};
  int second = 0;
};
using Steps = std::vector<Step>;

struct LoadCase {
  std::string name{};
  int workers = 1;
  Steps steps{};  ///< From 10 s on; the last batch ends at the last of them.
  double held_seconds = 0.0;
  double starved_seconds = 0.0;
};

BatchLoad load_after(LoadMeter& meter, const Steps& steps) {
  BatchLoad load{};
  for (const auto& [kind, second] : steps) {
    switch (kind) {
      case Step::kPush:
        meter.on_push({.time = at(second)});
        break;
      case Step::kFinish:
        meter.on_finish({.time = at(second)});
        break;
      case Step::kHeld:
      case Step::kWaits:
        meter.on_wait_begin(
            {kind == Step::kHeld ? WaitCause::kLimit : WaitCause::kVariable, at(second)});
        break;
      case Step::kReleased:
      case Step::kGoesOn:
        meter.on_wait_end(
            {kind == Step::kReleased ? WaitCause::kLimit : WaitCause::kVariable, at(second)});
        break;
      case Step::kBegin:
        meter.begin(at(second));
        break;
      case Step::kEndBatch:
        load = meter.end_batch(at(second));
        break;
    }
  }
  return load;
}

using enum Step::Kind;

TEST(LoadMeter, TellsHowLongTheLimitHeldTheFrontEndAndStarvedTheBackEnd) {
  const std::vector<LoadCase> cases{
      {"a back end that the limit kept short of work",
       1,
       {{kPush, 10}, {kHeld, 11}, {kReleased, 14}, {kFinish, 15}, {kPush, 17}, {kEndBatch, 20}},
       3.0,
       2.0},
      {"for at most as long as the front end was held",
       1,
       {{kPush, 10},
        {kHeld, 11},
        {kReleased, 14},
        {kFinish, 15},
        {kPush, 30},
        {kFinish, 31},
        {kPush, 40},
        {kEndBatch, 41}},
       3.0,
       3.0},
      {"a slow front end starves nobody",
       1,
       {{kPush, 13}, {kFinish, 14}, {kWaits, 15}, {kGoesOn, 17}, {kPush, 20}, {kEndBatch, 21}}},
      {"what was held in the batch before counts",
       1,
       {{kPush, 10},
        {kHeld, 10},
        {kReleased, 15},
        {kEndBatch, 16},
        {kFinish, 17},
        {kPush, 19},
        {kEndBatch, 20}},
       0.0,
       2.0},
      {"and nothing older",
       1,
       {{kPush, 10},
        {kHeld, 10},
        {kReleased, 15},
        {kEndBatch, 16},
        {kEndBatch, 20},
        {kFinish, 21},
        {kPush, 23},
        {kEndBatch, 24}}},
      {"fewer operations than workers are too few",
       2,
       {{kPush, 10},
        {kPush, 10},
        {kHeld, 10},
        {kReleased, 20},
        {kFinish, 21},
        {kPush, 24},
        {kEndBatch, 25}},
       10.0,
       3.0},
      {"threads held at once count once",
       1,
       {{kPush, 10}, {kHeld, 11}, {kHeld, 12}, {kReleased, 14}, {kEndBatch, 16}},
       5.0},
      {"and until the last goes on",
       1,
       {{kPush, 10},
        {kHeld, 11},
        {kHeld, 12},
        {kReleased, 14},
        {kEndBatch, 16},
        {kReleased, 18},
        {kEndBatch, 19}},
       2.0},
      {"beginning forgets what was before",
       1,
       {{kPush, 10},
        {kHeld, 10},
        {kReleased, 20},
        {kFinish, 21},
        {kBegin, 30},
        {kPush, 35},
        {kEndBatch, 36}}},
  };
  for (const LoadCase& tested : cases) {
    SCOPED_TRACE(tested.name);
    LoadMeter meter(tested.workers);
    meter.begin(at(10));
    const BatchLoad load = load_after(meter, tested.steps);
    EXPECT_DOUBLE_EQ(load.held_seconds, tested.held_seconds);
    EXPECT_DOUBLE_EQ(load.starved_seconds, tested.starved_seconds);
  }
}

TEST(LoadMeter, CountsWhatWasIssuedAndInFlightInABatch) {
  LoadMeter meter(1);
  meter.begin(at(10));
  const BatchLoad load =
      load_after(meter, {{kPush, 11}, {kPush, 12}, {kFinish, 13}, {kPush, 14}, {kEndBatch, 16}});
  EXPECT_DOUBLE_EQ(load.batch_seconds, 6.0);
  EXPECT_EQ(load.operations, 3U);
  EXPECT_EQ(load.most_in_flight, 2U);
  EXPECT_EQ(load.least_in_flight, 0U);

  const BatchLoad next = load_after(meter, {{kPush, 17}, {kEndBatch, 18}});
  EXPECT_EQ(next.operations, 1U);
  EXPECT_EQ(next.most_in_flight, 3U);
  EXPECT_EQ(next.least_in_flight, 2U);
  EXPECT_EQ(load_after(meter, {{kFinish, 19}, {kPush, 20}, {kEndBatch, 21}}).least_in_flight, 2U);
}

TEST(LoadMeter, TimesThatComeInAnotherOrderAddNothing) {
  LoadMeter meter(1);
  meter.begin(at(10));
  const BatchLoad load =
      load_after(meter, {{kPush, 15}, {kFinish, 14}, {kPush, 16}, {kEndBatch, 17}});
  EXPECT_EQ(load.operations, 2U);
  EXPECT_EQ(load.most_in_flight, 1U);
}

}  // namespace
}  // namespace runahead::train
