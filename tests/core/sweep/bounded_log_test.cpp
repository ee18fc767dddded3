#include "core/sweep/bounded_log.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::sweep {
namespace {

class BoundedLogTest : public ::testing::Test {
 protected:
  runahead::test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "log.txt";
};

TEST_F(BoundedLogTest, KeepsOutputWithinItsBoundsWhole) {
  BoundedLog log(path_, 5, 5);
  log.append("abc");
  log.append("defg");
  log.close();

  EXPECT_EQ(runahead::test::read_text(path_), "abcdefg");
}

TEST_F(BoundedLogTest, KeepsBeginningAndEndAndCountsWhatItLeftOut) {
  BoundedLog log(path_, 4, 3);
  for (char letter = 'a'; letter <= 'z'; ++letter) log.append(std::string(1, letter));
  log.close();

  EXPECT_EQ(runahead::test::read_text(path_), "abcd\n[19 bytes left out]\nxyz");
}

TEST_F(BoundedLogTest, WritesTheBeginningAtOnce) {
  BoundedLog log(path_, 100, 100);
  log.append("here");

  EXPECT_EQ(runahead::test::read_text(path_), "here");
}

TEST_F(BoundedLogTest, FindsTheLastLineThatIsNotBlank) {
  BoundedLog log(path_, 4, 4);
  EXPECT_EQ(log.last_line(), "");
  log.append("first\nsec");
  log.append("ond  \n \n");

  EXPECT_EQ(log.last_line(), "second");
}

TEST_F(BoundedLogTest, KeepsTheEndOfALongLastLine) {
  BoundedLog log(path_, 4, 4);
  log.append("first\n" + std::string(600, 'x') + "the end\n");

  EXPECT_EQ(log.last_line(), std::string(493, 'x') + "the end");
}

TEST_F(BoundedLogTest, KnowsTheLastLineWhereItsFileCannotBeMade) {
  BoundedLog log(folder_.path() / "absent" / "log.txt", 4, 4);
  log.append("first\nsecond\n");
  log.close();

  EXPECT_EQ(log.last_line(), "second");
}

TEST_F(BoundedLogTest, IgnoresOutputAfterItsClose) {
  BoundedLog log(path_, 4, 4);
  log.close();
  log.append("late");

  EXPECT_EQ(log.last_line(), "");
  EXPECT_EQ(runahead::test::read_text(path_), "");
}

}  // namespace
}  // namespace runahead::sweep
