#include "core/base/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <optional>

namespace runahead {
namespace {

/// A pseudo-terminal, and a pipe, which is none.
class TerminalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::setenv("TERM", "xterm", 1), 0);
    ::unsetenv("NO_COLOR");
    if (controller_ < 0) GTEST_SKIP() << "no pseudo-terminal on this machine";
    ASSERT_EQ(::grantpt(controller_), 0);
    ASSERT_EQ(::unlockpt(controller_), 0);
    terminal_ = ::open(::ptsname(controller_), O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal_, 0);
    ASSERT_EQ(::pipe(pipe_), 0);
  }
  void TearDown() override {
    for (const int descriptor : {terminal_, controller_, pipe_[0], pipe_[1]}) ::close(descriptor);
  }
  void resize(unsigned short columns) const {
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(::ioctl(terminal_, TIOCSWINSZ, &size), 0);
  }

  int controller_ = ::posix_openpt(O_RDWR | O_NOCTTY);
  int terminal_ = -1;
  int pipe_[2] = {-1, -1};
};

TEST_F(TerminalTest, HasItsPresentColumnsOrTheUsualOnes) {
  resize(37);
  EXPECT_EQ(terminal_columns(terminal_), 37);
  resize(120);
  EXPECT_EQ(terminal_columns(terminal_), 120);
  resize(0);
  EXPECT_EQ(terminal_columns(terminal_), 80);
  EXPECT_EQ(terminal_columns(pipe_[1]), std::nullopt);
  ASSERT_EQ(::setenv("TERM", "dumb", 1), 0);
  EXPECT_EQ(terminal_columns(terminal_), std::nullopt);
}

}  // namespace
}  // namespace runahead
