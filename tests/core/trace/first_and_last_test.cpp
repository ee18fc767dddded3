#include "core/trace/first_and_last.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace runahead::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int> kept_of(int count, FirstAndLast<int>& list) {
  for (int i = 1; i <= count; ++i) list.push(i);
  std::vector<int> kept;
  list.for_each([&](int entry) { kept.push_back(entry); });
  return kept;
}

TEST(FirstAndLast, KeepsAllThatFits) {
  FirstAndLast<int> list(6);
  EXPECT_THAT(kept_of(6, list), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(list.left_out(), 0U);
}

TEST(FirstAndLast, LeavesOutWhatLiesBetween) {
  FirstAndLast<int> list(6);
  EXPECT_THAT(kept_of(11, list), ElementsAre(1, 2, 3, 9, 10, 11));
  EXPECT_EQ(list.count(), 11U);
  EXPECT_EQ(list.kept(), 6U);
  EXPECT_EQ(list.left_out(), 5U);
}

TEST(FirstAndLast, KeepsTheOrderWhereverTheRingBegins) {
  for (int count = 7; count < 20; ++count) {
    FirstAndLast<int> list(6);
    EXPECT_THAT(kept_of(count, list), ElementsAre(1, 2, 3, count - 2, count - 1, count));
  }
}

TEST(FirstAndLast, IsEmptyAgainWhenCleared) {
  FirstAndLast<int> list(4);
  kept_of(9, list);
  list.clear();
  EXPECT_EQ(list.kept(), 0U);
  EXPECT_THAT(kept_of(0, list), IsEmpty());
  EXPECT_THAT(kept_of(2, list), ElementsAre(1, 2));
}

}  // namespace
}  // namespace runahead::trace
