#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "core/base/affinity.h"
#include "core/base/clock.h"
#include "core/base/cpu_claim.h"
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

/// Three numbers of CPUs that no other test claims at this time.
std::vector<int> unclaimed_cpus() {
  const int first = 1'000'000 + 4 * ::getpid();
  return {first, first + 1, first + 2};
}

TEST(CpuClaim, TakesCpusThatNoOtherHas) {
  const std::vector<int> cpus = unclaimed_cpus();
  CpuClaim first(cpus, 1);
  CpuClaim second(cpus, 2);

  EXPECT_EQ(first.cpus(), std::vector{cpus[0]});
  EXPECT_EQ(second.cpus(), (std::vector{cpus[1], cpus[2]}));
  EXPECT_FALSE(first.is_shared());
  EXPECT_FALSE(second.is_shared());
}

TEST(CpuClaim, SharesWhereTooFewAreFreeAndBothLearnOfIt) {
  const std::vector<int> cpus = unclaimed_cpus();
  CpuClaim first(cpus, 2);
  {
    CpuClaim second(cpus, 2);
    EXPECT_EQ(second.cpus(), (std::vector{cpus[0], cpus[2]}));
    EXPECT_TRUE(second.is_shared());
  }
  EXPECT_TRUE(first.is_shared()) << "even after the other has ended";
  EXPECT_TRUE(first.is_shared()) << "and asked again";
}

TEST(CpuClaim, IsSharedWithOneThatOutlivesTheFirst) {
  const std::vector<int> cpus = {unclaimed_cpus().front()};
  auto first = std::make_unique<CpuClaim>(cpus, 1);
  CpuClaim second(cpus, 1);
  first.reset();
  CpuClaim third(cpus, 1);

  EXPECT_TRUE(third.is_shared());
}

TEST(CpuClaim, EndsWithItsOwnerAndTakesAtMostTheCandidates) {
  const std::vector<int> cpus = unclaimed_cpus();
  { const CpuClaim first(cpus, 3); }
  CpuClaim second(cpus, 10);

  EXPECT_EQ(second.cpus(), cpus);
  EXPECT_FALSE(second.is_shared());
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
