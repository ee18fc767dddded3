#include "core/sweep/bounded_log.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/scratch_folder.h"
#include "support/text_file.h"

namespace runahead::sweep {
namespace {

class BoundedLogTest : public ::testing::Test {
 protected:
  ScratchFolder folder_;
  std::filesystem::path path_ = folder_.path() / "log.txt";
};

TEST_F(BoundedLogTest, KeepsBeginningAndEndAndCountsWhatItLeftOut) {
  const auto kept = [this](int letters) {
    BoundedLog log(path_, 4, 3);
    for (int i = 0; i < letters; ++i) {
      log.append(std::string(1, static_cast<char>('a' + i)));
      if (i == 1) {
        EXPECT_EQ(runahead::test::read_text(path_), "ab") << "the beginning is at once";
      }
    }
    log.close();
    log.append("late");
    return runahead::test::read_text(path_);
  };
  EXPECT_EQ(kept(0), "");
  EXPECT_EQ(kept(7), "abcdefg");
  EXPECT_EQ(kept(8), "abcd\n[1 bytes left out]\nfgh");
  EXPECT_EQ(kept(26), "abcd\n[19 bytes left out]\nxyz");
}

TEST_F(BoundedLogTest, FindsTheLastLineThatIsNotBlank) {
  BoundedLog log(path_, 4, 4);
  EXPECT_EQ(log.last_line(), "");
  log.append("  above\n  below\n");
  EXPECT_EQ(log.last_line(), "  below");
  log.append("first\nsec");
  log.append("ond  \n \n");

  EXPECT_EQ(log.last_line(), "second");
  log.append(std::string(600, 'x') + "the end\n");
  EXPECT_EQ(log.last_line(), std::string(493, 'x') + "the end");
  std::string letters;
  for (int letter = 0; letter < 300; ++letter) letters += "é";
  log.append(letters + ".\n");
  EXPECT_EQ(log.last_line(), letters.substr(0, 498) + ".");
  log.append("an error\n    an excerpt\n\t^\n");
  EXPECT_EQ(log.last_line(), "an error");
}

}  // namespace
}  // namespace runahead::sweep
