#include "core/sweep/child_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <string>
#include <vector>

#include "core/base/scratch_folder.h"
#include "core/sweep/cell_cgroup.h"
#include "core/sweep/open_file_limit.h"
#include "support/fifo.h"
#include "support/text_file.h"

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

}  // namespace
}  // namespace runahead::sweep
