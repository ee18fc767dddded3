#include "core/base/shorten.h"

#include <gtest/gtest.h>

namespace runahead {
namespace {

TEST(Shortened, LeavesWhatIsShortEnough) {
  EXPECT_EQ(shortened("", 0), "");
  EXPECT_EQ(shortened("four", 4), "four");
}

TEST(Shortened, TellsThatSomethingIsMissing) { EXPECT_EQ(shortened("longer", 4), "long…"); }

TEST(Shortened, CutsNoCharacterInTwo) {
  EXPECT_EQ(shortened("aµb", 2), "a…");
  EXPECT_EQ(shortened("aµb", 3), "aµ…");
  EXPECT_EQ(shortened("\x80\x80\x80", 2), "…") << "which is no UTF-8";
}

}  // namespace
}  // namespace runahead
