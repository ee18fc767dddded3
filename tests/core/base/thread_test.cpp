#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "core/base/affinity.h"
#include "core/base/cpu_claim.h"

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

}  // namespace
}  // namespace runahead
