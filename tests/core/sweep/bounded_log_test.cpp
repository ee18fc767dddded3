#include "core/sweep/bounded_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/temporary_folder.h"

namespace runahead::sweep {
namespace {

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class BoundedLogTest : public ::testing::Test {
 protected:
  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "log.txt";
};

TEST_F(BoundedLogTest, KeepsOutputWithinItsBoundsWhole) {
  BoundedLog log(path_, 5, 5);
  log.append("abc");
  log.append("defg");
  log.close();

  EXPECT_EQ(content_of(path_), "abcdefg");
}

TEST_F(BoundedLogTest, KeepsBeginningAndEndAndCountsWhatItLeftOut) {
  BoundedLog log(path_, 4, 3);
  for (char letter = 'a'; letter <= 'z'; ++letter) log.append(std::string(1, letter));
  log.close();

  EXPECT_EQ(content_of(path_), "abcd\n[19 bytes left out]\nxyz");
}

TEST_F(BoundedLogTest, WritesTheBeginningAtOnce) {
  BoundedLog log(path_, 100, 100);
  log.append("here");

  EXPECT_EQ(content_of(path_), "here");
}

TEST_F(BoundedLogTest, FindsTheLastLineThatIsNotBlank) {
  BoundedLog log(path_, 4, 4);
  EXPECT_EQ(log.last_line(), "");
  log.append("first\nsec");
  log.append("ond  \n \n");

  EXPECT_EQ(log.last_line(), "second");
}

TEST_F(BoundedLogTest, IgnoresOutputAfterItsClose) {
  BoundedLog log(path_, 4, 4);
  log.close();
  log.append("late");

  EXPECT_EQ(content_of(path_), "");
}

}  // namespace
}  // namespace runahead::sweep
