#include "core/sweep/cpu_slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/base/error.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::sweep {
namespace {

using ::testing::ElementsAre;

TEST(CpuSlots, AreDisjointAndAsEqualAsCanBe) {
  const CpuSlots slots(3, {0, 4, 1, 5, 2, 6, 3, 7});

  EXPECT_THAT(slots.cpus_of(0), ElementsAre(0, 4));
  EXPECT_THAT(slots.cpus_of(1), ElementsAre(1, 2, 5));
  EXPECT_THAT(slots.cpus_of(2), ElementsAre(3, 6, 7));
}

TEST(CpuSlots, HaveACpuEachIfThereAreAsMany) {
  const CpuSlots slots(2, {3, 9});

  EXPECT_THAT(slots.cpus_of(0), ElementsAre(3));
  EXPECT_THAT(slots.cpus_of(1), ElementsAre(9));
}

TEST(CpuSlots, HaveAllCpusIfThereAreFewerThanSlotsOrOneSlot) {
  const std::vector<int> cpus{0, 1};

  EXPECT_EQ(CpuSlots(1, cpus).cpus_of(0), cpus);
  EXPECT_EQ(CpuSlots(3, cpus).cpus_of(2), cpus);
  EXPECT_EQ(CpuSlots(2, cpus).cpus_of(2), cpus) << "beyond the slots that were asked for";
}

TEST(CpuSlots, RefuseNone) {
  EXPECT_THROW(CpuSlots(0, {0}), UsageError);
  EXPECT_THROW(CpuSlots(1, {}), UsageError);
  EXPECT_THROW(static_cast<void>(CpuSlots(1, {0}).cpus_of(-1)), UsageError);
}

TEST(OrderByCore, PutsTheCpusOfACoreAndTheCoresOfAPackageNextToEachOther) {
  const runahead::test::TemporaryFolder folder;
  const auto tell = [&](int cpu, int package, int core) {
    const auto topology = folder.path() / ("cpu" + std::to_string(cpu)) / "topology";
    runahead::test::write_text(topology / "physical_package_id", std::to_string(package) + "\n");
    runahead::test::write_text(topology / "core_id", std::to_string(core) + "\n");
  };
  tell(0, 1, 0);
  tell(1, 0, 0);
  tell(2, 0, 7);
  tell(3, 1, 0);
  tell(4, 0, 0);

  EXPECT_THAT(order_by_core({0, 1, 2, 3, 4}, folder.path()), ElementsAre(1, 4, 2, 0, 3));
}

TEST(OrderByCore, GoesByTheirNumbersWhereTheKernelTellsNothing) {
  EXPECT_THAT(order_by_core({2, 0, 1}, "/nowhere"), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace runahead::sweep
