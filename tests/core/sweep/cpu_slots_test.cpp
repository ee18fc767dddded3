#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "core/sweep/cpu_slots.h"
#include "core/sweep/disk_room.h"

namespace runahead::sweep {
namespace {

using ::testing::ElementsAre;

TEST(CpuSlots, AreDisjointAndAsEqualAsCanBeUnlessThereAreFewerCpus) {
  const auto slots_of = [](int count, const std::vector<int>& cpus) {
    const CpuSlots slots(count, cpus);
    std::vector<std::vector<int>> all;
    for (int slot = 0; slot <= count; ++slot) all.push_back(slots.cpus_of(slot));
    return all;
  };
  const std::vector<int> eight{0, 4, 1, 5, 2, 6, 3, 7};
  const std::vector<int> two{0, 1};
  // The last one is beyond the slots that were asked for.
  const std::vector<int> sorted = slots_of(3, eight).back();
  EXPECT_THAT(slots_of(3, eight),
              ElementsAre(ElementsAre(0, 4), ElementsAre(1, 2, 5), ElementsAre(3, 6, 7), sorted));
  EXPECT_EQ(sorted.size(), 8U);
  EXPECT_THAT(slots_of(2, two), ElementsAre(ElementsAre(0), ElementsAre(1), two));
  EXPECT_THAT(slots_of(1, two), ElementsAre(two, two));
  EXPECT_THAT(slots_of(3, two), ElementsAre(two, two, two, two));
}

}  // namespace
}  // namespace runahead::sweep
