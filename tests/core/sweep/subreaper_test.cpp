#include "core/sweep/subreaper.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "core/base/scratch_folder.h"
#include "support/fifo.h"

namespace runahead::sweep {
namespace {

class SubreaperTest : public ::testing::Test {
 protected:
  /// Runs `script` below a subreaper; returns the subreaper's id.
  static pid_t start_guarded(const std::string& script, const char* cgroup_folder = nullptr) {
    const pid_t parent = ::getpid();
    const pid_t subreaper = ::fork();
    if (subreaper != 0) return subreaper;
    if (split_off_subreaper(parent, cgroup_folder) != 0) ::_exit(99);
    ::execl("/bin/sh", "sh", "-c", script.c_str(), nullptr);
    ::_exit(98);
  }

  static int end_of(pid_t process) {
    int status = 0;
    ::waitpid(process, &status, 0);
    return status;
  }

  /// A script that starts a daemon in a session of its own, which reports when it is there, and
  /// waits.
  [[nodiscard]] std::string script_with_daemon() const {
    return "exec 3> " + fifo_.path().string() +
           "; (setsid sh -c 'trap \"\" TERM; echo ready >&3; exec sleep 1000' &); exec sleep 1000";
  }

  ScratchFolder folder_;
  runahead::test::Fifo fifo_{folder_.path() / "fifo"};
};

TEST_F(SubreaperTest, LeavesASignalForItsGroupToTheOthers) {
  const pid_t subreaper =
      start_guarded("exec 3> " + fifo_.path().string() +
                    "; trap 'exit 5' TERM; echo ready >&3; while :; do sleep 1; done");
  EXPECT_EQ(fifo_.read_line(), "ready");
  EXPECT_EQ(::getsid(subreaper), subreaper) << "so it does not have this process's terminal";
  ::kill(-subreaper, SIGTERM);

  EXPECT_EQ(WEXITSTATUS(end_of(subreaper)), 5);
}

TEST_F(SubreaperTest, KillsAllWhenItsParentIsKilled) {
  const pid_t parent = ::fork();
  if (parent == 0) {
    start_guarded(script_with_daemon());
    for (;;) ::pause();
  }
  EXPECT_EQ(fifo_.read_line(), "ready");
  ::kill(parent, SIGKILL);
  end_of(parent);

  EXPECT_NO_THROW(fifo_.wait_for_last_writer());
}

TEST_F(SubreaperTest, RemovesTheCgroupThatItsParentLeft) {
  const std::filesystem::path cgroup = folder_.path() / "cgroup";
  std::filesystem::create_directory(cgroup);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // The subreaper becomes this process's child.
  const pid_t parent = ::fork();
  if (parent == 0) {
    start_guarded("echo $PPID > " + fifo_.path().string() + "; exec sleep 1000", cgroup.c_str());
    for (;;) ::pause();
  }
  const pid_t subreaper = std::stoi(fifo_.read_line());
  ::kill(parent, SIGKILL);
  end_of(parent);
  end_of(subreaper);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);

  EXPECT_FALSE(std::filesystem::exists(cgroup));
}

TEST_F(SubreaperTest, TakesWhatItGuardsAlongWhenItIsKilled) {
  const pid_t subreaper =
      start_guarded("exec 3> " + fifo_.path().string() + "; echo ready >&3; exec sleep 1000");
  EXPECT_EQ(fifo_.read_line(), "ready");
  ::kill(subreaper, SIGKILL);
  end_of(subreaper);

  EXPECT_NO_THROW(fifo_.wait_for_last_writer());
}

TEST_F(SubreaperTest, KeepsNoFileOpen) {
  const int file = ::open(fifo_.path().c_str(), O_WRONLY | O_CLOEXEC);
  const pid_t subreaper = start_guarded("exec sleep 1000");
  ::close(file);

  EXPECT_NO_THROW(fifo_.wait_for_last_writer());

  ::kill(subreaper, kKillAllSignal);
  end_of(subreaper);
}

}  // namespace
}  // namespace runahead::sweep
