#include "core/slurm/task_outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runahead::slurm {
namespace {

using record::Status;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TaskEnd end_in(std::optional<JobState> state, std::optional<Status> written = std::nullopt) {
  TaskEnd end{.name = "12_3", .state = state, .written = written};
  if (written) end.written_error = "as written";
  if (state) {
    end.detail = JobDetail{.node = "node1", .time_limit = "00:02:00", .memory_limit = "264M"};
  }
  return end;
}

TEST(TaskOutcome, ARecordOfACompletedRunIsFinal) {
  for (const Status status :
       {Status::kOk, Status::kFailed, Status::kSkipped, Status::kTimedOut, Status::kOutOfMemory}) {
    EXPECT_TRUE(is_final(status));
    EXPECT_EQ(verdict_of(end_in(JobState::kCancelled, status)).status, status);
    EXPECT_EQ(verdict_of(end_in(JobState::kNodeFail, status)).error, "as written");
  }
  EXPECT_FALSE(is_final(Status::kInterrupted));
  EXPECT_FALSE(is_final(Status::kCrashed));
}

TEST(TaskOutcome, NamesTheMemoryLimitThatSlurmEnforced) {
  const TaskVerdict killed = verdict_of(end_in(JobState::kOutOfMemory));
  EXPECT_EQ(killed.status, Status::kOutOfMemory);
  EXPECT_THAT(killed.error, HasSubstr("over its limit of 264M"));
  EXPECT_THAT(killed.error, HasSubstr("Slurm task 12_3 on node1"));
  // The kernel killed the cell alone.
  EXPECT_EQ(verdict_of(end_in(JobState::kOutOfMemory, Status::kCrashed)).status,
            Status::kOutOfMemory);
}

TEST(TaskOutcome, FindsAMemoryKillInTheOutputOfAFailedTask) {
  for (const char* words :
       {"slurmstepd: error: StepId=12.batch exceeded memory limit (400 > 200), being killed\n",
        "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=12.batch.\n",
        "slurmstepd: error: Detected 1 oom_kill event in StepId=12.batch. Some of the step tasks "
        "have been OOM Killed.\n"}) {
    TaskEnd end = end_in(JobState::kFailed);
    end.output_end = words;
    EXPECT_EQ(verdict_of(end).status, Status::kOutOfMemory) << words;
    end.state = JobState::kCompleted;
    EXPECT_NE(verdict_of(end).status, Status::kOutOfMemory) << words;
  }
}

TEST(TaskOutcome, NamesTheTimeLimitThatSlurmEnforced) {
  for (const std::optional<Status> written :
       {std::optional<Status>(), std::optional(Status::kInterrupted),
        std::optional(Status::kCrashed)}) {
    const TaskVerdict killed = verdict_of(end_in(JobState::kTimeout, written));
    EXPECT_EQ(killed.status, Status::kTimedOut);
    EXPECT_THAT(killed.error, HasSubstr("at its time limit of 00:02:00"));
  }
}

TEST(TaskOutcome, ACancelledTaskDidNotCrash) {
  const TaskVerdict killed = verdict_of(end_in(JobState::kCancelled, Status::kCrashed));
  EXPECT_EQ(killed.status, Status::kInterrupted);
  EXPECT_THAT(killed.error, StartsWith("cancelled in Slurm"));
}

TEST(TaskOutcome, ANodeLostWhileCancellingIsNoReasonForAnotherTry) {
  for (const JobState state : {JobState::kNodeFail, JobState::kPreempted}) {
    TaskEnd end = end_in(state);
    end.was_cancelled = true;
    EXPECT_FALSE(verdict_of(end).was_taken_away);
    EXPECT_EQ(verdict_of(end).status, Status::kInterrupted);
  }
}

TEST(TaskOutcome, ACrashThatSlurmDoesNotExplainIsACrash) {
  EXPECT_EQ(verdict_of(end_in(JobState::kCompleted, Status::kCrashed)).status, Status::kCrashed);
  EXPECT_EQ(verdict_of(end_in(std::nullopt, Status::kCrashed)).error, "as written");
}

TEST(TaskOutcome, ClassifiesATaskWithoutARecordByItsExitCode) {
  TaskEnd end = end_in(JobState::kFailed);
  end.output_end = "noise\nrunahead: error: there is no runahead-cell\n\n";
  end.detail->exit_code = 3;
  EXPECT_EQ(verdict_of(end).status, Status::kSkipped);
  EXPECT_THAT(verdict_of(end).error, StartsWith("there is no runahead-cell (Slurm task 12_3"));
  end.detail->exit_code = 1;
  EXPECT_EQ(verdict_of(end).status, Status::kFailed);
  end.detail->exit_code = 127;
  EXPECT_EQ(verdict_of(end).status, Status::kCrashed);
  EXPECT_THAT(verdict_of(end).error, HasSubstr("exit code 127"));
  end.output_end = "";
  end.detail->exit_code = 1;
  EXPECT_EQ(verdict_of(end).status, Status::kCrashed);
}

TEST(TaskOutcome, NamesTheSignalThatEndedATask) {
  TaskEnd end = end_in(JobState::kFailed);
  end.detail->signal = 11;
  EXPECT_EQ(verdict_of(end).status, Status::kCrashed);
  EXPECT_THAT(verdict_of(end).error, StartsWith("ended by signal 11 (SIGSEGV) and left no record"));
}

TEST(LastingWait, WarnsOfReasonsThatDoNotPass) {
  EXPECT_THAT(lasting_wait("JobHeldUser", "12"), HasSubstr("scontrol release 12"));
  EXPECT_THAT(lasting_wait("launch failed requeued held", "12"), HasSubstr("scontrol release 12"));
  for (const char* reason :
       {"BadConstraints", "ReqNodeNotAvail, UnavailableNodes:node1", "QOSMaxCpuPerJobLimit",
        "Nodes required for job are DOWN, DRAINED or reserved", "PartitionTimeLimit"}) {
    EXPECT_THAT(lasting_wait(reason, "12"), HasSubstr("may never pass (" + std::string(reason)));
  }
  for (const char* reason : {"None", "Resources", "Priority", "BeginTime", "JobArrayTaskLimit",
                             "QOSMaxJobsPerUserLimit", "AssocGrpCpuLimit"}) {
    EXPECT_EQ(lasting_wait(reason, "12"), "") << reason;
  }
}

}  // namespace
}  // namespace runahead::slurm
