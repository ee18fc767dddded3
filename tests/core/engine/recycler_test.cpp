#include "core/engine/recycler.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace runahead::engine::test {
namespace {

TEST(Recycler, HasNothingAtFirst) { EXPECT_EQ(Recycler(64, 4).take(), nullptr); }

TEST(Recycler, HandsBackEachObjectOnce) {
  std::array<std::array<char, 64>, 3> objects{};
  Recycler recycler(64, 4);
  for (auto& object : objects) EXPECT_TRUE(recycler.give_back(&object));

  const std::set<void*> taken{recycler.take(), recycler.take(), recycler.take()};

  EXPECT_EQ(taken, (std::set<void*>{&objects[0], &objects[1], &objects[2]}));
  EXPECT_EQ(recycler.take(), nullptr);
}

TEST(Recycler, RefusesMoreThanItsCapacity) {
  std::array<std::array<char, 64>, 3> objects{};
  Recycler recycler(64, 2);
  EXPECT_TRUE(recycler.give_back(&objects[0]));
  EXPECT_TRUE(recycler.give_back(&objects[1]));

  EXPECT_FALSE(recycler.give_back(&objects[2]));
  EXPECT_EQ(recycler.spare_count(), 2);
}

TEST(Recycler, TakesOverWhatIsGivenBackWhileItHandsOut) {
  std::array<std::array<char, 64>, 2> objects{};
  Recycler recycler(64, 1);
  EXPECT_TRUE(recycler.give_back(&objects[0]));
  void* const first = recycler.take();
  EXPECT_TRUE(recycler.give_back(&objects[1]));

  EXPECT_EQ(first, &objects[0]);
  EXPECT_EQ(recycler.take(), &objects[1]);
}

}  // namespace
}  // namespace runahead::engine::test
