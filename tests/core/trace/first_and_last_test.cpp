#include "core/trace/first_and_last.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace runahead::trace {
namespace {

std::vector<int> kept_of(int count, FirstAndLast<int>& list) {
  for (int i = 1; i <= count; ++i) list.push(i);
  std::vector<int> kept;
  list.for_each([&](int entry) { kept.push_back(entry); });
  return kept;
}

TEST(FirstAndLast, KeepsBothEndsInOrderHoweverManyCome) {
  for (int count = 0; count < 20; ++count) {
    FirstAndLast<int> list(6);
    kept_of(9, list);
    list.clear();
    EXPECT_EQ(list.kept(), 0U);
    std::vector<int> expected;
    for (int i = 1; i <= count; ++i) {
      if (i <= 3 || i > std::max(3, count - 3)) expected.push_back(i);
    }
    EXPECT_EQ(kept_of(count, list), expected) << count;
    EXPECT_EQ(list.count(), static_cast<std::uint64_t>(count));
    EXPECT_EQ(list.kept(), expected.size());
    EXPECT_EQ(list.left_out(), static_cast<std::uint64_t>(count) - expected.size());
  }
}

}  // namespace
}  // namespace runahead::trace
