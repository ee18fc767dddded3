#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

#include "core/base/affinity.h"
#include "core/base/clock.h"
#include "core/base/error.h"

namespace runahead {
namespace {

TEST(Affinity, IsThatOfTheCallingThreadAndCanBeWidenedAgain) {
  const std::vector<int> before = allowed_cpus();
  ASSERT_FALSE(before.empty());
  std::vector<int> pinned;
  std::vector<int> widened;

  std::thread([&] {
    pin_calling_thread(before.back());
    pinned = allowed_cpus();
    restrict_calling_thread(before);
    widened = allowed_cpus();
  }).join();

  EXPECT_EQ(pinned, std::vector{before.back()});
  EXPECT_EQ(widened, before);
  EXPECT_EQ(allowed_cpus(), before);
}

TEST(Affinity, RejectsCpusThatAreNotThere) {
  EXPECT_THROW(pin_calling_thread(32'000), UnavailableError);
  EXPECT_THROW(pin_calling_thread(1 << 20), UnavailableError);
  EXPECT_THROW(restrict_calling_thread({}), UnavailableError);
  EXPECT_THROW(pin_calling_thread(-1), UsageError);
}

TEST(Clock, MeasuresSignedSecondsAndThreadsApartFromTheProcess) {
  const TimePoint start = Clock::now();
  EXPECT_DOUBLE_EQ(seconds_between(start, start + std::chrono::milliseconds(250)), 0.25);
  EXPECT_DOUBLE_EQ(seconds_between(start + std::chrono::seconds(2), start), -2.0);

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
