#include "core/slurm/task_outcome.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace runahead::slurm {
namespace {

using record::Status;
using ::testing::HasSubstr;

TaskEnd end_in(std::optional<JobState> state, std::optional<Status> written = std::nullopt) {
  TaskEnd end{.name = "12_3", .state = state, .written = written};
  if (written) end.written_error = "as written";
  if (state) {
    end.detail = JobDetail{.node = "node1", .time_limit = "00:02:00", .memory_limit = "264M"};
  }
  return end;
}

TaskEnd after_cancelling(JobState state) {
  TaskEnd end = end_in(state);
  end.was_cancelled = true;
  return end;
}

/// The end of a task without a record, whose output ends with these words.
TaskEnd silent_end(JobState state, const char* output, int exit_code, int signal = 0) {
  TaskEnd end = end_in(state);
  end.output_end = output;
  end.detail->exit_code = exit_code;
  end.detail->signal = signal;
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

TEST(TaskOutcome, IsThatOfTheTable) {
  using enum JobState;
  constexpr const char* kNoCell = "noise\nrunahead: error: there is no runahead-cell\n\n";
  constexpr const char* kTooMuch =
      "slurmstepd: error: StepId=12.batch exceeded memory limit (400 > 200), being killed\n";
  struct Row {
    TaskEnd end;
    Status status;
    const char* error;
  };
  const std::vector<Row> rows{
      {end_in(kOutOfMemory), Status::kOutOfMemory, "over its limit of 264M"},
      {end_in(kOutOfMemory), Status::kOutOfMemory, "Slurm task 12_3 on node1"},
      {end_in(kOutOfMemory, Status::kCrashed), Status::kOutOfMemory, ""},
      {silent_end(kFailed, kTooMuch, 0), Status::kOutOfMemory, ""},
      {silent_end(kFailed, "Detected 1 oom-kill event(s) in StepId=12.batch.\n", 0),
       Status::kOutOfMemory, ""},
      {silent_end(kFailed, "Detected 1 oom_kill event in StepId=12.batch.\n", 0),
       Status::kOutOfMemory, ""},
      {silent_end(kCompleted, kTooMuch, 0), Status::kCrashed, ""},
      {end_in(kTimeout), Status::kTimedOut, "at its time limit of 00:02:00"},
      {end_in(kTimeout, Status::kInterrupted), Status::kTimedOut, "at its time limit of 00:02:00"},
      {end_in(kTimeout, Status::kCrashed), Status::kTimedOut, "at its time limit of 00:02:00"},
      {end_in(kCancelled, Status::kCrashed), Status::kInterrupted, "cancelled in Slurm"},
      {after_cancelling(kNodeFail), Status::kInterrupted, ""},
      {after_cancelling(kPreempted), Status::kInterrupted, ""},
      {end_in(kCompleted, Status::kCrashed), Status::kCrashed, "as written"},
      {end_in(std::nullopt, Status::kCrashed), Status::kCrashed, "as written"},
      {silent_end(kFailed, kNoCell, 3), Status::kSkipped,
       "there is no runahead-cell (Slurm task 12_3"},
      {silent_end(kFailed, kNoCell, 1), Status::kFailed, ""},
      {silent_end(kFailed, kNoCell, 127), Status::kCrashed, "exit code 127"},
      {silent_end(kFailed, "", 1), Status::kCrashed, ""},
      {silent_end(kFailed, "", 0, 11), Status::kCrashed,
       "ended by signal 11 (SIGSEGV) and left no record"},
  };
  for (const auto& [end, status, error] : rows) {
    const TaskVerdict verdict = verdict_of(end);
    EXPECT_EQ(verdict.status, status) << verdict.error;
    EXPECT_THAT(verdict.error, HasSubstr(error));
    EXPECT_FALSE(verdict.was_taken_away) << "another try would be made";
  }
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
