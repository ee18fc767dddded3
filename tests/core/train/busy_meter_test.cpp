#include "core/train/busy_meter.h"

#include <gtest/gtest.h>

#include <thread>

namespace runahead::train {
namespace {

TimePoint at(int seconds) { return TimePoint{} + std::chrono::seconds(seconds); }

TEST(BusyMeter, AddsUpTheTimeOfOperations) {
  BusyMeter meter;

  meter.on_start({.time = at(1)});
  meter.on_finish({.time = at(3)});
  meter.on_start({.time = at(10)});
  meter.on_finish({.time = at(11)});

  EXPECT_DOUBLE_EQ(meter.busy_seconds(at(12)), 3.0);
}

TEST(BusyMeter, AddsUpTheWaitsOfTheFrontEnd) {
  BusyMeter meter;

  meter.on_wait_begin({engine::WaitCause::kLimit, at(1)});
  meter.on_wait_end({engine::WaitCause::kLimit, at(3)});
  meter.on_wait_begin({engine::WaitCause::kVariable, at(5)});
  meter.on_wait_end({engine::WaitCause::kVariable, at(6)});

  EXPECT_DOUBLE_EQ(meter.waited_seconds(), 3.0);
}

TEST(BusyMeter, LeavesOutTheWaitsOfAThreadThatIsNoPartOfTheFrontEnd) {
  BusyMeter meter;
  std::thread([&meter] {
    meter.leave_out_waits_of_this_thread();
    meter.on_wait_begin({engine::WaitCause::kLimit, at(1)});
    meter.on_wait_end({engine::WaitCause::kLimit, at(3)});
  }).join();
  EXPECT_DOUBLE_EQ(meter.waited_seconds(), 0.0);

  meter.on_wait_begin({engine::WaitCause::kLimit, at(5)});
  meter.on_wait_end({engine::WaitCause::kLimit, at(6)});
  EXPECT_DOUBLE_EQ(meter.waited_seconds(), 1.0);
}

TEST(BusyMeter, CountsOverlappingOperationsOnce) {
  BusyMeter meter;

  meter.on_start({.time = at(1)});
  meter.on_start({.time = at(2)});
  meter.on_finish({.time = at(4)});
  meter.on_finish({.time = at(6)});

  EXPECT_DOUBLE_EQ(meter.busy_seconds(at(6)), 5.0);
}

TEST(BusyMeter, CountsWhatIsExecutingUntilThen) {
  BusyMeter meter;

  meter.on_start({.time = at(1)});

  EXPECT_DOUBLE_EQ(meter.busy_seconds(at(3)), 2.0);
  EXPECT_DOUBLE_EQ(meter.busy_seconds(at(0)), 0.0);
}

TEST(BusyMeter, IgnoresOperationsThatWereSkipped) {
  BusyMeter meter;

  meter.on_start({.time = at(1)});
  meter.on_finish({.skipped = true, .time = at(2)});
  meter.on_finish({.time = at(3)});

  EXPECT_DOUBLE_EQ(meter.busy_seconds(at(3)), 2.0);
}

TEST(BusyMeter, ResetForgets) {
  BusyMeter meter;
  meter.on_start({.time = at(1)});
  meter.on_finish({.time = at(2)});

  meter.reset();

  EXPECT_DOUBLE_EQ(meter.busy_seconds(at(2)), 0.0);
}

}  // namespace
}  // namespace runahead::train
