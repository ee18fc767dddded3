#include "core/slurm/cell_task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "core/record/record_file.h"
#include "core/slurm/array_folder.h"
#include "core/slurm/task_list.h"
#include "core/sweep/disk_room.h"
#include "core/sweep/sweep_fixtures.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::slurm {
namespace {

using record::Status;

class CellTaskTest : public ::testing::Test {
 protected:
  CellTaskTest() {
    TaskListWriter writer(folder_.tasks());
    for (std::size_t cell = 0; cell < 2; ++cell) writer.append(plan_.cells[cell], 1);
    writer.finish();
    write_header({});
  }
  ~CellTaskTest() override { ::unsetenv("STUB_CELL_MODES"); }

  void write_header(const TaskNeeds& needs) {
    folder_.write_header({.name = "runahead-1",
                          .version = "test",
                          .cells_folder = scratch_.path() / "cells",
                          .needs = needs});
  }

  ExitCode run(std::int64_t task, const std::string& mode) {
    ::setenv("STUB_CELL_MODES", mode.c_str(), 1);
    return run_cell_task(folder_.path(), task, STUB_CELL);
  }

  [[nodiscard]] record::Record result(std::int64_t task) const {
    return record::read_record(folder_.result(task));
  }

  runahead::test::TemporaryFolder scratch_;
  const ArrayFolder folder_ = ArrayFolder::make_next(scratch_.path() / "slurm");
  const sweep::Plan plan_ = sweep::test::plan_of_seeds(2, 2);
};

TEST_F(CellTaskTest, RunsItsCellAndLeavesOneResult) {
  EXPECT_EQ(run(1, "ok"), ExitCode::kOk);
  const record::Record record = result(1);

  EXPECT_EQ(record.status, Status::kOk);
  EXPECT_EQ(record.id, plan_.cells[1].id);
  EXPECT_EQ(record.repeat, 1);
  EXPECT_EQ(record.axes, plan_.cells[1].axes);
  EXPECT_TRUE(std::filesystem::exists(scratch_.path() / "cells" /
                                      sweep::folder_name(plan_.cells[1], 1) / "stdout.txt"));
}

TEST_F(CellTaskTest, EndsWellWhateverBecameOfItsCell) {
  EXPECT_EQ(run(0, "segv"), ExitCode::kOk);
  EXPECT_EQ(result(0).status, Status::kCrashed);
}

TEST_F(CellTaskTest, TakesWantOfRoomOnAnotherDiskForTheCellsOwnFailure) {
  constexpr std::uint64_t kRoomBytes = std::uint64_t{64} << 20;
  if (!sweep::has_disk_room(scratch_.path(), kRoomBytes)) GTEST_SKIP() << "this disk has no room";
  EXPECT_EQ(run(0, "disk_full"), ExitCode::kOk);
  EXPECT_EQ(result(0).status, Status::kFailed);
}

TEST_F(CellTaskTest, TriesOnceWhatIsEndedFromOutside) {
  EXPECT_EQ(run(0, "killed_once"), ExitCode::kOk);
  const record::Record record = result(0);

  EXPECT_EQ(record.status, Status::kCrashed);
  EXPECT_EQ(record.cell.attempts, 1);
}

TEST_F(CellTaskTest, KeepsTheLimitsOfItsCell) {
  write_header({.timeout_seconds = 0.2});
  EXPECT_EQ(run(0, "hang"), ExitCode::kOk);
  EXPECT_EQ(result(0).status, Status::kTimedOut);
  write_header({.memory_limit_bytes = 128 << 20});
  EXPECT_EQ(run(1, "allocate"), ExitCode::kOk);
  EXPECT_EQ(result(1).status, Status::kOutOfMemory);
}

TEST_F(CellTaskTest, ForgetsTheResultOfAnEarlierTry) {
  runahead::test::write_text(folder_.result(0), "of an earlier try");
  EXPECT_THROW(static_cast<void>(run_cell_task(folder_.path(), 0, "/nowhere/runahead-cell")),
               UnavailableError);

  EXPECT_FALSE(std::filesystem::exists(folder_.result(0)));
}

TEST_F(CellTaskTest, RefusesATaskThatTheArrayDoesNotHave) {
  EXPECT_THROW(static_cast<void>(run(2, "ok")), Error);
  EXPECT_THROW(static_cast<void>(run_cell_task(scratch_.path(), 0, STUB_CELL)), Error);
}

}  // namespace
}  // namespace runahead::slurm
