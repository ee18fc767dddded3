// The lines are those of Slurm 22.05 to 24.11.

#include "core/slurm/squeue_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runahead::slurm {
namespace {

using ::testing::ElementsAre;
using ::testing::Key;

TEST(SqueueOutput, ReadsTasksInAnyOrder) {
  const QueuedTasks tasks = parse_squeue(
      "12_3|RUNNING|None\n"
      "12_19|PENDING|JobArrayTaskLimit\n"
      "12_0|FAILED|NonZeroExitCode\n"
      "12_1|TIMEOUT|TimeLimit\n");

  EXPECT_THAT(tasks, ElementsAre(Key(0), Key(1), Key(3), Key(19)));
  EXPECT_EQ(tasks.at(3).state, JobState::kRunning);
  EXPECT_EQ(tasks.at(19).reason, "JobArrayTaskLimit");
  EXPECT_EQ(tasks.at(1).state, JobState::kTimeout);
}

TEST(SqueueOutput, ReadsTasksThatShareALine) {
  const QueuedTasks tasks = parse_squeue("12_[4-6,9%2]|PENDING|Resources\n12_[7]|PENDING|None\n");

  EXPECT_THAT(tasks, ElementsAre(Key(4), Key(5), Key(6), Key(7), Key(9)));
}

TEST(SqueueOutput, KeepsAReasonOfSeveralWords) {
  const QueuedTasks tasks = parse_squeue("12_0|PENDING|launch failed requeued held\n");

  EXPECT_EQ(tasks.at(0).reason, "launch failed requeued held");
}

TEST(SqueueOutput, LeavesOutWhatIsNoTask) {
  EXPECT_TRUE(parse_squeue("").empty());
  EXPECT_TRUE(parse_squeue("\n\n").empty());
  EXPECT_TRUE(parse_squeue("squeue: warning: a plugin | has words\n").empty());
  EXPECT_TRUE(parse_squeue("12|RUNNING|None\n").empty());
  EXPECT_TRUE(parse_squeue("12_x|RUNNING|None\n12_|RUNNING|None\n12_3\n").empty());
  EXPECT_TRUE(parse_squeue("12_[0-99999999999]|PENDING|None\n").empty());
}

TEST(SqueueOutput, EndsWhereMoreTasksAreNamedThanAnArrayHas) {
  const QueuedTasks tasks = parse_squeue(
      "12_[0-9999,0-9999]|PENDING|None\n"
      "12_[5]|RUNNING|None\n");

  EXPECT_EQ(tasks.size(), 10'000U);
  EXPECT_EQ(tasks.at(5).state, JobState::kPending);
}

}  // namespace
}  // namespace runahead::slurm
