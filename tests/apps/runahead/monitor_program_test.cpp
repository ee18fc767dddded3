// `runahead monitor`: on commands and on processes that run already.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <thread>

#include "core/base/clock.h"
#include "program_fixture.h"
#include "support/fifo.h"

namespace runahead {
namespace {

using test::ProgramEnd;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class MonitorProgram : public test::ProgramTest {
 protected:
  [[nodiscard]] std::string samples() const { return (folder() / "m.csv").string(); }

  /// The monitor of a shell command.
  ProgramEnd monitor_shell(const std::string& script) {
    return runahead(
        {"monitor", "--rate", "1000", "--out", samples(), "--", "/bin/sh", "-c", script});
  }

  /// Blocks until a process has a descriptor of another process; false if it never does.
  static bool attends(pid_t process_id) {
    const std::string folder = "/proc/" + std::to_string(process_id) + "/fd";
    const TimePoint give_up = Clock::now() + std::chrono::seconds(30);
    while (Clock::now() < give_up) {
      std::error_code error;
      for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (std::filesystem::read_symlink(entry.path(), error) == "anon_inode:[pidfd]") return true;
      }
      std::this_thread::yield();
    }
    return false;
  }

  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

  /// The greatest value of a column of a CSV file.
  static double greatest(const std::string& csv, const std::string& column) {
    std::istringstream lines(csv);
    std::string line;
    std::getline(lines, line);
    const auto fields = [](const std::string& text) {
      std::vector<std::string> split;
      std::istringstream stream(text);
      for (std::string field; std::getline(stream, field, ',');) split.push_back(field);
      return split;
    };
    const std::vector<std::string> header = fields(line);
    const auto index =
        static_cast<std::size_t>(std::find(header.begin(), header.end(), column) - header.begin());
    double most = 0.0;
    while (std::getline(lines, line)) {
      const std::vector<std::string> row = fields(line);
      if (index < row.size() && !row[index].empty()) most = std::max(most, std::stod(row[index]));
    }
    return most;
  }
};

TEST_F(MonitorProgram, PassesTheCommandsStreamsAndExitCodeOn) {
  const ProgramEnd end = monitor_shell("echo to stdout; echo to stderr >&2; exit 42");

  EXPECT_EQ(end.exit_code, 42);
  EXPECT_EQ(end.out, "to stdout\n");
  EXPECT_THAT(end.err, AllOf(HasSubstr("to stderr"), HasSubstr("peak RSS"), HasSubstr("sh")));
}

TEST_F(MonitorProgram, PassesTheSignalThatEndedTheCommandOnAsShellsDo) {
  EXPECT_EQ(monitor_shell("kill -KILL $$").exit_code, 128 + SIGKILL);
}

TEST_F(MonitorProgram, KnowsThePeakOfACommandThatEndsBetweenSamples) {
  const ProgramEnd end = runahead(
      {"monitor", "--rate", "0.001", "--", "/usr/bin/python3", "-c", "x = bytearray(100 << 20)"});

  EXPECT_EQ(end.exit_code, 0);
  EXPECT_THAT(end.err, ::testing::ContainsRegex("peak RSS 1[0-9][0-9] MB in"));
}

TEST_F(MonitorProgram, FailsIfABoundIsPassed) {
  const auto monitor = [&](const std::string& condition, const std::string& script) {
    return runahead({"monitor", "--fail-if", condition, "--", "/bin/sh", "-c", script});
  };
  const ProgramEnd end = monitor("memory.rss_peak_bytes > 1kB", "exit 1");

  EXPECT_EQ(end.exit_code, 6);
  EXPECT_THAT(end.err, ::testing::ContainsRegex("1kB': it is [0-9.]+ [kM]B, .* above"));
  EXPECT_EQ(monitor("rss_peak_bytes > 100GB", "exit 1").exit_code, 1);
  EXPECT_EQ(monitor("rss_peak_bytes > 1kB", "kill -INT $$").exit_code, 130);
  EXPECT_EQ(monitor("batches_peak > 10", "exit 0").exit_code, 6);
}

// The child that becomes the command is a copy of the monitor, of some 10 MB, until then. The
// command sleeps so that it is sampled: of one that is not, only an upper bound is known.
TEST_F(MonitorProgram, DoesNotCountItsOwnMemory) {
  for (int run = 0; run < 4; ++run) {
    const std::string csv = (folder() / (std::to_string(run) + ".csv")).string();
    const ProgramEnd end = runahead({"monitor", "--rate", "10000", "--out", csv, "--fail-if",
                                     "rss_peak_bytes > 5MB", "--", "sleep", "0.3"});
    EXPECT_EQ(end.exit_code, 0) << end.err;
    EXPECT_LT(greatest(test::read_text(csv), "rss_bytes"), 5e6);
  }
}

// They are still there when the monitor looks for the last time, because nothing waits for them.
TEST_F(MonitorProgram, SumsUpTheChildrenAndListsThem) {
  const std::string child = "sleep 20 >/dev/null 2>&1 & ";
  const ProgramEnd end = monitor_shell(child + child + "exit 0");

  ASSERT_EQ(end.exit_code, 0) << end.err;
  const std::string csv = test::read_text(samples());
  EXPECT_THAT(csv, StartsWith("time_seconds,rss_bytes,"));
  EXPECT_GT(greatest(csv, "rss_bytes"), 0.0);
  EXPECT_GE(greatest(csv, "processes"), 2.0);
  const std::string processes = test::read_text(folder() / "m.processes.csv");
  EXPECT_EQ(count(processes, "\n"), 1 + 3) << processes;
}

TEST_F(MonitorProgram, PassesATerminationOn) {
  test::Fifo started(folder() / "started");
  const std::string script =
      "trap 'exit 5' TERM; echo > " + started.path().string() + "; while :; do sleep 0.01; done";
  test::Program program(folder(), RUNAHEAD,
                        {"monitor", "--out", samples(), "--", "/bin/sh", "-c", script});
  started.read_line();
  program.send(SIGTERM);

  EXPECT_EQ(program.wait().exit_code, 5);
  EXPECT_TRUE(std::filesystem::exists(samples()));
}

TEST_F(MonitorProgram, MonitorsAProcessThatRunsUntilItEnds) {
  test::Program sleeper(folder(), "/bin/sleep", {"1000"});
  test::Program program(
      folder(), RUNAHEAD,
      {"monitor", "--pid", std::to_string(sleeper.id()), "--rate", "1000", "--out", samples()});
  sleeper.send(SIGKILL);

  EXPECT_EQ(program.wait().exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(samples()));
}

TEST_F(MonitorProgram, StopsAttendingAProcessWhenInterrupted) {
  test::Program sleeper(folder(), "/bin/sleep", {"1000"});
  test::Program program(folder(), RUNAHEAD, {"monitor", "--pid", std::to_string(sleeper.id())});
  ASSERT_TRUE(attends(program.id()));
  program.send(SIGINT);

  EXPECT_EQ(program.wait().exit_code, 130);
}

}  // namespace
}  // namespace runahead
