#include "core/sweep/open_file_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "core/base/error.h"
#include "core/sweep/child_process.h"
#include "core/sweep/process_cell_runner.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

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

  runahead::test::TemporaryFolder folder_;
  const rlimit before_ = limit_now();
};

TEST_F(OpenFileLimitTest, LeavesALimitThatIsHighEnough) {
  set_soft_limit(before_.rlim_cur);
  raise_open_file_limit(1);

  EXPECT_EQ(limit_now().rlim_cur, before_.rlim_cur);
}

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

TEST_F(OpenFileLimitTest, IsEnoughForItsJobs) {
  raise_open_file_limit(kManyJobs);
  const Plan plan = test::plan_of_seeds(kManyJobs, 1);
  ::setenv("STUB_CELL_MODES", "graceful", 1);
  const auto runner = make_process_cell_runner(
      {.program = STUB_CELL, .cells_folder = folder_.path(), .jobs = kManyJobs});
  for (const CellJob& job : plan.jobs) {
    EXPECT_NO_THROW(runner->start(plan.cells[job.cell], job));
  }
  ::unsetenv("STUB_CELL_MODES");
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

TEST(OpenFileLimitDeathTest, RefusesMoreJobsThanTheHardLimitAllows) {
  EXPECT_EXIT(
      {
        rlimit hard{};
        hard.rlim_cur = hard.rlim_max = 164;
        if (::setrlimit(RLIMIT_NOFILE, &hard) != 0) std::exit(1);
        raise_open_file_limit(20);
        try {
          raise_open_file_limit(21);
        } catch (const ConfigError& error) {
          std::cerr << error.what() << std::endl;
        }
        std::exit(limit_now().rlim_cur == 164 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0),
      "--jobs 21 needs 169 open files, but the hard limit is 164 .*; use --jobs 20 or fewer, or "
      "have");
}

}  // namespace
}  // namespace runahead::sweep
