#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "core/base/affinity.h"
#include "core/base/cpu_claim.h"
#include "core/base/cpu_topology.h"
#include "core/base/scratch_folder.h"
#include "support/text_file.h"

namespace runahead {
namespace {

using ::testing::ElementsAre;

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

/// The kernel's description of CPUs.
class CpuOrder : public ::testing::Test {
 protected:
  void describe(int cpu, int package, int core, int last_level_cache) {
    const auto folder = folder_.path() / ("cpu" + std::to_string(cpu));
    test::write_text(folder / "topology" / "physical_package_id", std::to_string(package) + "\n");
    test::write_text(folder / "topology" / "core_id", std::to_string(core) + "\n");
    test::write_text(folder / "cache" / "index3" / "id", std::to_string(last_level_cache) + "\n");
  }

  ScratchFolder folder_{};
};

TEST_F(CpuOrder, ByCorePutsTheCpusOfACoreAndTheCoresOfAPackageNextToEachOther) {
  describe(0, 1, 0, 1);
  describe(1, 0, 0, 0);
  describe(2, 0, 7, 0);
  describe(3, 1, 0, 1);
  describe(4, 0, 0, 0);

  EXPECT_THAT(order_by_core({0, 1, 2, 3, 4}, folder_.path()), ElementsAre(1, 4, 2, 0, 3));
}

TEST_F(CpuOrder, ForThreadsTakesOneCpuOfEachCoreThenNeighboursInTheCache) {
  describe(0, 0, 0, 0);  // The kernel numbers the CPUs of a core in a row,
  describe(1, 0, 0, 0);
  describe(2, 0, 1, 1);  // and the cores of two caches in turn.
  describe(3, 0, 1, 1);
  describe(4, 0, 2, 0);
  describe(5, 0, 2, 0);

  EXPECT_THAT(order_for_threads({0, 1, 2, 3, 4, 5}, folder_.path()), ElementsAre(0, 4, 2, 1, 5, 3));
}

TEST_F(CpuOrder, ForThreadsIsAsGivenWhereTheKernelDescribesNothing) {
  EXPECT_THAT(order_for_threads({3, 1, 2}, folder_.path()), ElementsAre(3, 1, 2));
}

}  // namespace
}  // namespace runahead
