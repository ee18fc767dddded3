#include "core/base/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

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

TEST(Log, ClearsLinesThatChangeInPlaceOnATerminal) {
  ASSERT_EQ(::setenv("TERM", "xterm", 1), 0);
  const int controller = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (controller < 0) GTEST_SKIP() << "no pseudo-terminal on this machine";
  ASSERT_EQ(::grantpt(controller), 0);
  ASSERT_EQ(::unlockpt(controller), 0);
  const int terminal = ::open(::ptsname(controller), O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  const int before = ::dup(STDERR_FILENO);
  ::dup2(terminal, STDERR_FILENO);
  log_info("ready");
  ::dup2(before, STDERR_FILENO);
  std::string shown;
  char text[64];
  while (!shown.ends_with('\n')) {  // It may come in parts.
    const ssize_t count = ::read(controller, text, sizeof text);
    if (count <= 0) break;
    shown.append(text, static_cast<std::size_t>(count));
  }
  for (const int descriptor : {controller, terminal, before}) ::close(descriptor);

  EXPECT_EQ(shown, "\033[Jrunahead: ready\r\n");
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
