#include "core/base/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace runahead {
namespace {

TEST(SecondsBetween, IsSigned) {
  const TimePoint start = Clock::now();
  EXPECT_DOUBLE_EQ(seconds_between(start, start + std::chrono::milliseconds(250)), 0.25);
  EXPECT_DOUBLE_EQ(seconds_between(start + std::chrono::seconds(2), start), -2.0);
}

TEST(CpuSeconds, CountsTheCallingThreadApartFromTheProcess) {
  const double thread_before = thread_cpu_seconds();
  const double process_before = process_cpu_seconds();
  double worker_seconds = 0.0;

  std::thread([&] {
    while (worker_seconds < 0.02) worker_seconds = thread_cpu_seconds();
  }).join();

  EXPECT_GE(process_cpu_seconds() - process_before, worker_seconds);
  EXPECT_LT(thread_cpu_seconds() - thread_before, worker_seconds);
}

}  // namespace
}  // namespace runahead
