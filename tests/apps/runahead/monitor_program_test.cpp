// `runahead monitor` on processes that run already; on commands: golden/monitor_runs.txt.

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include "core/base/clock.h"
#include "program_fixture.h"

namespace runahead {
namespace {

class MonitorProgram : public test::ProgramTest {
 protected:
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
};

TEST_F(MonitorProgram, MonitorsAProcessThatRunsUntilItEnds) {
  test::Program sleeper(folder(), "/bin/sleep", {"1000"});
  test::Program program(
      folder(), RUNAHEAD,
      {"monitor", "--pid", std::to_string(sleeper.id()), "--rate", "1000", "--out", out()});
  sleeper.send(SIGKILL);

  EXPECT_EQ(program.wait().exit_code, 0);
  EXPECT_TRUE(std::filesystem::exists(out()));
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
