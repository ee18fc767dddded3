#include "core/base/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

namespace runahead {
namespace {

TEST(Log, NamesTheProgramAndTheLevel) {
  EXPECT_EQ(format_log_line(LogLevel::kInfo, "ready", false), "runahead: ready\n");
  EXPECT_EQ(format_log_line(LogLevel::kWarning, "slow", false), "runahead: warning: slow\n");
  EXPECT_EQ(format_log_line(LogLevel::kError, "gone", false), "runahead: error: gone\n");
}

TEST(Log, ColoursTheLevelOnly) {
  EXPECT_EQ(format_log_line(LogLevel::kWarning, "slow", true),
            "runahead: \033[33mwarning: \033[0mslow\n");
  EXPECT_EQ(format_log_line(LogLevel::kInfo, "ready", true), "runahead: ready\n");
}

TEST(Log, WritesToStandardError) {
  testing::internal::CaptureStderr();
  log_warning("the backlog is large");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "runahead: warning: the backlog is large\n");
}

TEST(WantsColour, OnATerminalUnlessNoColorIsSet) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) GTEST_SKIP() << "no pseudo-terminal on this machine";
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  EXPECT_TRUE(wants_colour(terminal));

  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(wants_colour(terminal));

  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(wants_colour(terminal));

  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(wants_colour(terminal));
  ::close(terminal);
}

TEST(WantsColour, NotInAPipe) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_FALSE(wants_colour(ends[1]));
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace runahead
