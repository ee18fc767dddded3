#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <boost/asio/io_context.hpp>

#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "core/base/scratch_folder.h"
#include "core/sweep/cell_cgroup.h"
#include "core/sweep/child_process.h"
#include "core/sweep/open_file_limit.h"
#include "core/sweep/process_cell_runner.h"
#include "core/sweep/subreaper.h"
#include "support/fifo.h"
#include "support/text_file.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

constexpr std::uint64_t kLimitBytes = std::uint64_t{128} << 20;

class ChildProcessTest : public ::testing::Test {
 protected:
  [[nodiscard]] ChildCommand shell(const std::string& script) const {
    return {.program = "/bin/sh", .arguments = {"-c", script}, .log_folder = folder_.path()};
  }

  ChildEnd run(const ChildCommand& command, const ChildLimits& limits = {}) {
    std::optional<ChildEnd> result;
    ChildProcess::start(context_, command, limits, [&](const ChildEnd& end) { result = end; });
    context_.run();
    context_.restart();
    return result.value();
  }

  ChildEnd run_stub(const std::string& mode, const ChildLimits& limits) {
    ::setenv("STUB_CELL_MODES", mode.c_str(), 1);
    const ChildEnd end = run({.program = STUB_CELL, .log_folder = folder_.path()}, limits);
    ::unsetenv("STUB_CELL_MODES");
    return end;
  }

  [[nodiscard]] std::string log(const std::string& name) const {
    return runahead::test::read_text(folder_.path() / name);
  }

  ScratchFolder folder_;
  boost::asio::io_context context_;
};

TEST_F(ChildProcessTest, StopsAChildWhoseOwnChildIsOverTheLimit) {
  for (const bool use_cgroup : {true, false}) {
    ::setenv("STUB_CELL_MODES", "allocate", 1);
    const ChildEnd end = run(shell(std::string(STUB_CELL) + " & wait"),
                             {.rss_bytes = kLimitBytes, .use_cgroup = use_cgroup});
    ::unsetenv("STUB_CELL_MODES");

    EXPECT_EQ(end.stopped, StopReason::kOutOfMemory);
  }
}

TEST_F(ChildProcessTest, CountsPagesThatItsProcessesShareOnce) {
  const std::string fork_twice =
      "import os, time; block = bytearray(80 << 20); os.fork() and os.fork(); time.sleep(1)";
  const ChildEnd end =
      run(shell("exec python3 -c '" + fork_twice + "'"), {.rss_bytes = kLimitBytes});

  EXPECT_EQ(end.stopped, std::nullopt);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_GT(end.rss_peak_bytes, kLimitBytes) << "the sum was seen above the limit";
}

TEST_F(ChildProcessTest, HasTheKernelStopAChildWhoseMemoryRssDoesNotShow) {
  if (CellCgroup::make(kLimitBytes) == nullptr) GTEST_SKIP() << "no cgroup can be made here";
  const ChildEnd end = run_stub("hoard", {.rss_bytes = kLimitBytes});

  EXPECT_EQ(end.stopped, StopReason::kOutOfMemory);
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_GT(end.rss_peak_bytes, kLimitBytes);
  EXPECT_LT(end.rss_peak_bytes, 2 * kLimitBytes);
}

TEST_F(ChildProcessTest, IsInItsCgroupWhereMoreIsOpenThanItMayHaveOpen) {
  if (CellCgroup::make(kLimitBytes) == nullptr) GTEST_SKIP() << "no cgroup can be made here";
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  limit.rlim_cur = 48;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  raise_open_file_limit(20);
  std::vector<int> open;
  while (open.size() < 48) open.push_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));

  run(shell("cat /proc/self/cgroup; ulimit -n"), {.rss_bytes = kLimitBytes});
  for (const int descriptor : open) ::close(descriptor);

  EXPECT_NE(log("stdout.txt").find("/runahead-"), std::string::npos) << log("stdout.txt");
  EXPECT_TRUE(log("stdout.txt").ends_with("\n48\n")) << log("stdout.txt");
}

TEST_F(ChildProcessTest, KillsWhatAKilledSubreaperLeftInItsCgroup) {
  if (CellCgroup::make(kLimitBytes) == nullptr) GTEST_SKIP() << "no cgroup can be made here";
  runahead::test::Fifo fifo(folder_.path() / "fifo");
  std::optional<ChildEnd> end;
  ChildProcess::start(
      context_,
      shell("exec 3> '" + fifo.path().string() +
            "'; (setsid sh -c 'echo daemon >&3; exec sleep 1000' &); echo $PPID >&3;"
            " exec sleep 1000"),
      {.rss_bytes = kLimitBytes}, [&](const ChildEnd& ended) { end = ended; });
  // The two lines come in either order.
  const std::string first = fifo.read_line();
  const std::string second = fifo.read_line();
  ::kill(std::stoi(first == "daemon" ? second : first), SIGKILL);
  context_.run();

  EXPECT_EQ(end.value().signal, SIGKILL);
  EXPECT_NO_THROW(fifo.wait_for_last_writer());
}

/// Enough for this program, and not for many children.
constexpr rlim_t kLowLimit = 48;
constexpr int kManyJobs = 12;

rlimit limit_now() {
  rlimit limit{};
  EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  return limit;
}

class OpenFileLimitTest : public ::testing::Test {
 protected:
  OpenFileLimitTest() { set_soft_limit(kLowLimit); }
  ~OpenFileLimitTest() override { set_soft_limit(before_.rlim_cur); }

  static void set_soft_limit(rlim_t soft) {
    rlimit limit = limit_now();
    limit.rlim_cur = soft;
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  }

  ScratchFolder folder_;
  const rlimit before_ = limit_now();
};

TEST_F(OpenFileLimitTest, IsRaisedForChildrenAtOnceButNotTheirs) {
  raise_open_file_limit(kManyJobs);
  EXPECT_GT(limit_now().rlim_cur, rlim_t{kManyJobs * kFilesPerChild});

  boost::asio::io_context context;
  ChildProcess::start(
      context,
      {.program = "/bin/sh", .arguments = {"-c", "ulimit -Sn"}, .log_folder = folder_.path()}, {},
      [](const ChildEnd&) {});
  context.run();
  EXPECT_EQ(runahead::test::read_text(folder_.path() / "stdout.txt"),
            std::to_string(kLowLimit) + "\n");
}

TEST_F(OpenFileLimitTest, KnowsHowManyFilesAChildTakes) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(files, std::filesystem::directory_iterator());
  };
  boost::asio::io_context context;
  const auto start = [&] {
    return ChildProcess::start(context,
                               {.program = "/bin/sh",
                                .arguments = {"-c", "exec sleep 1000"},
                                .log_folder = folder_.path()},
                               {.wall_seconds = 1000.0, .rss_bytes = std::uint64_t{1} << 40},
                               [](const ChildEnd&) {});
  };
  const auto first = start();  // The event loop has files of its own.
  const auto before = open_files();
  const auto second = start();

  EXPECT_EQ(open_files() - before, kFilesPerChild);
  first->stop(StopReason::kInterrupted);
  second->stop(StopReason::kInterrupted);
  context.run();
}

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
