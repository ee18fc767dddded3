#include "core/train/busy_meter.h"

#include <gtest/gtest.h>

#include <thread>

namespace runahead::train {
namespace busy_meter_test {

TimePoint at(int seconds) { return TimePoint{} + std::chrono::seconds(seconds); }

TEST(BusyMeter, AddsUpTheTimeInWhichAtLeastOneOperationExecutes) {
  BusyMeter meter;
  meter.on_start({.time = at(1)});
  meter.on_finish({.skipped = true, .time = at(2)});
  meter.on_finish({.time = at(3)});
  meter.on_start({.time = at(10)});
  EXPECT_DOUBLE_EQ(meter.busy_seconds(at(12)), 4.0) << "it executes still";
  EXPECT_DOUBLE_EQ(meter.busy_seconds(at(9)), 2.0);
  meter.on_start({.time = at(11)});
  meter.on_finish({.time = at(12)});
  meter.on_finish({.time = at(15)});
  EXPECT_DOUBLE_EQ(meter.busy_seconds(at(20)), 7.0);

  meter.reset();
  EXPECT_DOUBLE_EQ(meter.busy_seconds(at(20)), 0.0);
}

TEST(BusyMeter, AddsUpTheWaitsOfTheFrontEndAndNotThoseOfAThreadThatIsNoPartOfIt) {
  BusyMeter meter;
  std::thread([&meter] {
    meter.leave_out_waits_of_this_thread();
    meter.on_wait_begin({engine::WaitCause::kLimit, at(1)});
    meter.on_wait_end({engine::WaitCause::kLimit, at(3)});
  }).join();
  EXPECT_DOUBLE_EQ(meter.waited_seconds(), 0.0);

  meter.on_wait_begin({engine::WaitCause::kLimit, at(4)});
  meter.on_wait_end({engine::WaitCause::kLimit, at(6)});
  meter.on_wait_begin({engine::WaitCause::kVariable, at(6)});
  meter.on_wait_end({engine::WaitCause::kVariable, at(7)});
  EXPECT_DOUBLE_EQ(meter.waited_seconds(), 3.0);
}

}  // namespace busy_meter_test
}  // namespace runahead::train
