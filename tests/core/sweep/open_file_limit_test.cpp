#include "core/sweep/open_file_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>

#include <iterator>

#include "core/base/scratch_folder.h"
#include "core/sweep/child_process.h"
#include "core/sweep/process_cell_runner.h"
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

}  // namespace
}  // namespace runahead::sweep
