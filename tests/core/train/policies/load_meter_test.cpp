#include "core/train/policies/load_meter.h"

#include <gtest/gtest.h>

namespace runahead::train {
namespace {

using engine::WaitCause;

TimePoint at(int seconds) { return TimePoint{} + std::chrono::seconds(seconds); }

void push(LoadMeter& meter, int seconds) { meter.on_push({.time = at(seconds)}); }
void finish(LoadMeter& meter, int seconds) { meter.on_finish({.time = at(seconds)}); }
void hold(LoadMeter& meter, int from, int until, WaitCause cause = WaitCause::kLimit) {
  meter.on_wait_begin({cause, at(from)});
  meter.on_wait_end({cause, at(until)});
}

TEST(LoadMeter, CountsWhatWasIssuedAndInFlightInABatch) {
  LoadMeter meter(1);
  meter.begin(at(10));
  push(meter, 11);
  push(meter, 12);
  finish(meter, 13);
  push(meter, 14);

  const BatchLoad load = meter.end_batch(at(16));

  EXPECT_DOUBLE_EQ(load.batch_seconds, 6.0);
  EXPECT_EQ(load.operations, 3U);
  EXPECT_EQ(load.most_in_flight, 2U);
  EXPECT_EQ(load.least_in_flight, 0U);
  push(meter, 17);
  const BatchLoad next = meter.end_batch(at(18));
  EXPECT_EQ(next.operations, 1U);
  EXPECT_EQ(next.most_in_flight, 3U);
  EXPECT_EQ(next.least_in_flight, 2U);
  finish(meter, 19);
  push(meter, 20);
  EXPECT_EQ(meter.end_batch(at(21)).least_in_flight, 2U);
}

TEST(LoadMeter, BackEndThatTheLimitKeptShortOfWorkIsStarved) {
  LoadMeter meter(1);
  meter.begin(at(10));
  push(meter, 10);
  hold(meter, 11, 14);
  finish(meter, 15);
  push(meter, 17);

  const BatchLoad load = meter.end_batch(at(20));

  EXPECT_DOUBLE_EQ(load.held_seconds, 3.0);
  EXPECT_DOUBLE_EQ(load.starved_seconds, 2.0);
}

TEST(LoadMeter, StarvedForAtMostAsLongAsTheFrontEndWasHeld) {
  LoadMeter meter(1);
  meter.begin(at(10));
  push(meter, 10);
  hold(meter, 11, 14);
  finish(meter, 15);
  push(meter, 30);
  finish(meter, 31);
  push(meter, 40);

  EXPECT_DOUBLE_EQ(meter.end_batch(at(41)).starved_seconds, 3.0);
}

TEST(LoadMeter, SlowFrontEndStarvesNobody) {
  LoadMeter meter(1);
  meter.begin(at(10));
  push(meter, 13);
  finish(meter, 14);
  hold(meter, 15, 17, WaitCause::kVariable);
  push(meter, 20);

  const BatchLoad load = meter.end_batch(at(21));

  EXPECT_DOUBLE_EQ(load.starved_seconds, 0.0);
  EXPECT_DOUBLE_EQ(load.held_seconds, 0.0);
}

TEST(LoadMeter, WhatWasHeldInTheBatchBeforeCountsAndNothingOlder) {
  LoadMeter meter(1);
  meter.begin(at(10));
  push(meter, 10);
  hold(meter, 10, 15);
  static_cast<void>(meter.end_batch(at(16)));
  finish(meter, 17);
  push(meter, 19);
  EXPECT_DOUBLE_EQ(meter.end_batch(at(20)).starved_seconds, 2.0);
  finish(meter, 21);
  push(meter, 23);

  EXPECT_DOUBLE_EQ(meter.end_batch(at(24)).starved_seconds, 0.0);
}

TEST(LoadMeter, WithSeveralWorkersFewerOperationsThanWorkersAreTooFew) {
  LoadMeter meter(2);
  meter.begin(at(10));
  push(meter, 10);
  push(meter, 10);
  hold(meter, 10, 20);
  finish(meter, 21);
  push(meter, 24);

  EXPECT_DOUBLE_EQ(meter.end_batch(at(25)).starved_seconds, 3.0);
}

TEST(LoadMeter, ThreadsHeldAtOnceCountOnce) {
  LoadMeter meter(1);
  meter.begin(at(10));
  push(meter, 10);
  meter.on_wait_begin({WaitCause::kLimit, at(11)});
  meter.on_wait_begin({WaitCause::kLimit, at(12)});
  meter.on_wait_end({WaitCause::kLimit, at(14)});

  EXPECT_DOUBLE_EQ(meter.end_batch(at(16)).held_seconds, 5.0);
  meter.on_wait_end({WaitCause::kLimit, at(18)});
  EXPECT_DOUBLE_EQ(meter.end_batch(at(19)).held_seconds, 2.0);
}

TEST(LoadMeter, BeginningForgetsWhatWasBefore) {
  LoadMeter meter(1);
  meter.begin(at(10));
  push(meter, 10);
  hold(meter, 10, 20);
  finish(meter, 21);

  meter.begin(at(30));
  push(meter, 35);

  const BatchLoad load = meter.end_batch(at(36));
  EXPECT_DOUBLE_EQ(load.batch_seconds, 6.0);
  EXPECT_DOUBLE_EQ(load.starved_seconds, 0.0);
}

TEST(LoadMeter, TimesThatComeInAnotherOrderAddNothing) {
  LoadMeter meter(1);
  meter.begin(at(10));
  push(meter, 15);
  finish(meter, 14);
  push(meter, 16);

  const BatchLoad load = meter.end_batch(at(17));
  EXPECT_EQ(load.operations, 2U);
  EXPECT_EQ(load.most_in_flight, 1U);
}

}  // namespace
}  // namespace runahead::train
