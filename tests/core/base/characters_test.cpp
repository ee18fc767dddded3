#include "core/base/characters.h"

#include <gtest/gtest.h>

namespace runahead {
namespace {

TEST(Characters, AreCountedAndNotBytes) {
  EXPECT_EQ(character_count(""), 0U);
  EXPECT_EQ(character_count("größe"), 5U);
}

TEST(Characters, AreCutWhereTheyDoNotFit) {
  EXPECT_EQ(in_one_line("größe", 5), "größe");
  EXPECT_EQ(in_one_line("größe", 4), "grö…");
  EXPECT_EQ(in_one_line("größe", 1), "…");
  EXPECT_EQ(in_one_line("größe", 0), "");
}

TEST(Characters, ThatControlATerminalAreNotPassedOn) {
  EXPECT_EQ(in_one_line("a\nb\033[Jc\x7f", 80), "a?b?[Jc?");
}

}  // namespace
}  // namespace runahead
