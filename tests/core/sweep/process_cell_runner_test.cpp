#include "core/sweep/process_cell_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <limits>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "support/error_message.h"
#include "support/fifo.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

using ::testing::HasSubstr;

class ProcessCellRunnerTest : public ::testing::Test {
 protected:
  ~ProcessCellRunnerTest() override {
    ::unsetenv("STUB_CELL_MODES");
    ::unsetenv("STUB_CELL_FIFO");
    ::unsetenv("STUB_CELL_PROGRESS");
  }

  void set_modes(const std::string& modes) { ::setenv("STUB_CELL_MODES", modes.c_str(), 1); }

  [[nodiscard]] ProcessCellOptions options() const {
    return {.program = STUB_CELL, .cells_folder = folder_.path() / "cells"};
  }

  ScratchFolder folder_;
  const Plan plan_ = test::plan_of_seeds(3, 2);
};

TEST_F(ProcessCellRunnerTest, StopsWhenTheDiskIsFull) {
  set_modes("0=disk_full,1=ok");
  ProcessCellOptions full = options();
  full.disk_room_bytes = std::numeric_limits<std::uint64_t>::max();
  const auto runner = make_process_cell_runner(full);
  runner->start(plan_.cells[0], {0, 0});
  const auto message =
      runahead::test::error_message<Error>([&] { static_cast<void>(runner->wait_any()); });

  EXPECT_THAT(message, HasSubstr("No space left on device"));
  EXPECT_THAT(message, HasSubstr("free some space"));
  EXPECT_THROW(runner->start(plan_.cells[1], {1, 0}), Error);
}

TEST_F(ProcessCellRunnerTest, ReportsWhatRunsAndItsProgress) {
  runahead::test::Fifo fifo(folder_.path() / "fifo");
  ::setenv("STUB_CELL_FIFO", fifo.path().c_str(), 1);
  ::setenv("STUB_CELL_PROGRESS", R"({"seconds": 9, "batches": 3, "batches_issued": 2})", 1);
  set_modes("hang");
  ProcessCellOptions with_progress = options();
  with_progress.progress_seconds = 0.5;
  const auto runner = make_process_cell_runner(with_progress);
  EXPECT_TRUE(runner->activity(5).running.empty());
  for (std::size_t cell = 0; cell < 2; ++cell) {
    runner->start(plan_.cells[cell], {cell, 1});
    static_cast<void>(fifo.read_line());  // It has reported its progress before.
  }
  const RunnerActivity activity = runner->activity(1);

  ASSERT_EQ(activity.running.size(), 2U);
  EXPECT_EQ(activity.waiting, 0U);
  const RunningCell& first = activity.running[0];
  EXPECT_EQ(first.job.cell, 0U);
  EXPECT_EQ(first.job.repeat, 1);
  EXPECT_GT(first.seconds, activity.running[1].seconds);
  EXPECT_GT(first.rss_bytes, 0U);
  ASSERT_TRUE(first.progress.has_value());
  EXPECT_EQ(first.progress->batches_issued, 2U);
  EXPECT_FALSE(activity.running[1].progress.has_value());
}

TEST_F(ProcessCellRunnerTest, WaitsNoLongerThanItIsAskedTo) {
  set_modes("0=hang,1=ok");
  const auto runner = make_process_cell_runner(options());
  EXPECT_THROW(static_cast<void>(runner->wait_any_for(0.01)), UsageError);
  runner->start(plan_.cells[0], {0, 0});
  EXPECT_FALSE(runner->wait_any_for(0.01).has_value());
  runner->start(plan_.cells[1], {1, 0});
  const std::optional<CellResult> ended = runner->wait_any_for(1000.0);

  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->job.cell, 1U);
}

TEST_F(ProcessCellRunnerTest, LeavesNoChildBehind) {
  runahead::test::Fifo fifo(folder_.path() / "fifo");
  set_modes("hang");
  pid_t child = 0;
  {
    ::setenv("STUB_CELL_FIFO", fifo.path().c_str(), 1);
    const auto runner = make_process_cell_runner(options());
    runner->start(plan_.cells[0], {0, 0});
    child = std::stoi(fifo.read_line());
  }

  EXPECT_EQ(::kill(child, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

}  // namespace
}  // namespace runahead::sweep
