#include "core/base/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace runahead {
namespace {

/// A pseudo-terminal of its own, which nobody looks at.
class TerminalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(setenv("TERM", "xterm", 1), 0);
    ASSERT_GE(controller_, 0);
    ASSERT_EQ(grantpt(controller_), 0);
    ASSERT_EQ(unlockpt(controller_), 0);
    terminal_ = open(ptsname(controller_), O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal_, 0);
  }
  void TearDown() override {
    close(terminal_);
    close(controller_);
  }
  void resize(unsigned short columns) const {
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(ioctl(terminal_, TIOCSWINSZ, &size), 0);
  }

  int controller_ = posix_openpt(O_RDWR | O_NOCTTY);
  int terminal_ = -1;
};

TEST_F(TerminalTest, HasTheColumnsThatItHasNow) {
  resize(37);
  EXPECT_EQ(terminal_columns(terminal_), 37);
  resize(120);
  EXPECT_EQ(terminal_columns(terminal_), 120);
}

TEST_F(TerminalTest, HasTheUsualColumnsIfItDoesNotTell) {
  resize(0);
  EXPECT_EQ(terminal_columns(terminal_), 80);
}

TEST_F(TerminalTest, ThatCannotMoveItsCursorHasNone) {
  ASSERT_EQ(setenv("TERM", "dumb", 1), 0);
  EXPECT_EQ(terminal_columns(terminal_), std::nullopt);
}

TEST(Terminal, PipeIsNone) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(terminal_columns(ends[1]), std::nullopt);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace runahead
