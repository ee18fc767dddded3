#include "core/slurm/task_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/config/experiment_config.h"
#include "core/sweep/sweep_fixtures.h"
#include "support/temporary_folder.h"
#include "support/text_file.h"

namespace runahead::slurm {
namespace {

using ::testing::ElementsAre;

class TaskListTest : public ::testing::Test {
 protected:
  void write_plan() {
    TaskListWriter writer(path_);
    for (std::size_t cell = 0; cell < 3; ++cell) writer.append(plan_.cells[cell], 1);
    writer.finish();
  }

  runahead::test::TemporaryFolder scratch_;
  const std::filesystem::path path_ = scratch_.path() / "tasks.jsonl";
  const sweep::Plan plan_ = sweep::test::plan_of_seeds(3, 2);
};

TEST_F(TaskListTest, ReadsBackWhatEachTaskRuns) {
  write_plan();
  const TaskList list(path_);

  ASSERT_EQ(list.size(), 3);
  const Task task = list.read(2);
  EXPECT_EQ(task.cell.id, plan_.cells[2].id);
  EXPECT_EQ(task.cell.axes, plan_.cells[2].axes);
  EXPECT_EQ(config::config_id(task.cell.config), plan_.cells[2].id);
  EXPECT_EQ(task.repeat, 1);
}

TEST_F(TaskListTest, TellsTheRunsInTheirOrder) {
  write_plan();

  EXPECT_THAT(TaskList(path_).keys(),
              ElementsAre(run_key(plan_.cells[0].id, 1), run_key(plan_.cells[1].id, 1),
                          run_key(plan_.cells[2].id, 1)));
}

TEST_F(TaskListTest, HasNoTaskBeyondItsEnd) {
  write_plan();
  const TaskList list(path_);

  EXPECT_THROW(static_cast<void>(list.read(3)), Error);
  EXPECT_THROW(static_cast<void>(list.read(-1)), Error);
}

TEST_F(TaskListTest, TellsWhatIsNoTask) {
  for (const char* line :
       {"{\"id\": \"a\"}", "[]", "half a li", "",
        R"({"id": 3, "repeat": 0, "axes": {}, "config": {}})",
        R"({"id": "a", "repeat": 0, "axes": {}, "config": {"experiment": 7}})"}) {
    runahead::test::write_text(path_, std::string(line) + "\n");
    EXPECT_THROW(static_cast<void>(TaskList(path_).read(0)), Error) << line;
  }
}

TEST_F(TaskListTest, TellsADiskThatTakesNothing) {
  TaskListWriter writer("/dev/full");
  for (int count = 0; count < 100; ++count) writer.append(plan_.cells[0], 0);

  EXPECT_THROW(writer.finish(), Error);
}

TEST_F(TaskListTest, NeedsAFile) {
  EXPECT_THROW(TaskList(scratch_.path() / "missing.jsonl"), Error);
  EXPECT_THROW(TaskListWriter(scratch_.path() / "missing" / "tasks.jsonl"), Error);
}

}  // namespace
}  // namespace runahead::slurm
