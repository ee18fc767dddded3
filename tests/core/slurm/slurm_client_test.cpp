#include <gmock/gmock.h>
#include <signal.h>
#include <stdlib.h>

#include <deque>
#include <vector>

#include "core/base/error.h"
#include "core/base/scratch_folder.h"
#include "core/slurm/process_submit_host.h"
#include "core/slurm/slurm_client.h"
#include "core/slurm/task_outcome.h"
#include "support/error_message.h"

namespace runahead::slurm {
namespace {

using ::testing::HasSubstr;

/// Answers one command after another.
class AnsweringHost final : public SubmitHost {
 public:
  CommandOutput call(const std::vector<std::string>& command) override {
    calls.push_back(command);
    if (answers.empty()) return {};
    CommandOutput answer = answers.front();
    answers.pop_front();
    return answer;
  }
  void wait(double) override {}
  double now_seconds() override { return 0.0; }
  bool interrupted() override { return false; }

  std::deque<CommandOutput> answers{};
  std::vector<std::vector<std::string>> calls{};
};

class SlurmClientTest : public ::testing::Test {
 protected:
  void answer(int exit_code, const std::string& out, const std::string& err = "") {
    host_.answers.push_back({.exit_code = exit_code, .out = out, .err = err});
  }

  template <typename Call>
  static void expect_error(const Call& call, const std::string& words) {
    EXPECT_THAT(runahead::test::error_message<Error>([&] { static_cast<void>(call()); }),
                HasSubstr(words));
  }

  AnsweringHost host_;
  SlurmClient client_{host_};
};

TEST_F(SlurmClientTest, QuotesSlurmsReasonForRejectingAScriptAndNeedsAJobId) {
  const auto submit = [&] { return client_.submit("/s/array.sh"); };
  answer(1, "",
         "sbatch: error: Memory specification can not be satisfied\n"
         "sbatch: error: Batch job submission failed: Requested node configuration is not "
         "available\n");
  expect_error(submit, "Requested node configuration is not available");
  answer(0, "Submitted batch job 12\n");
  expect_error(submit, "no job id");
  answer(0, "13;cluster\n");
  EXPECT_EQ(submit(), "13");
}

TEST_F(SlurmClientTest, KnowsWhatAnArrayMayHave) {
  const std::string size = "MaxArraySize            = 1001\nSchedulerParameters     = ";
  answer(0, size + "bf_interval=30,max_array_tasks=100,defer\n");
  answer(0, size + "max_array_tasks=5000\n");
  answer(0, size + "bf_max_array_tasks=5\n");
  for (const std::int64_t most : {100, 1001, 1001}) EXPECT_EQ(client_.max_array_size(), most);
}

TEST_F(SlurmClientTest, DistinguishesASilentSlurmFromAnUnknownJob) {
  const std::string silence =
      "slurm_load_jobs error: Unable to contact slurm controller (connect failure)\n";
  answer(1, "", silence);
  expect_error([&] { return client_.tasks_of("12"); }, "Unable to contact");
  answer(1, "", silence);
  expect_error([&] { return client_.detail_of("12", 3); }, "Unable to contact");
  answer(-1, "", "no answer within the time limit");
  expect_error([&] { return client_.tasks_of("12"); }, "no answer");
}

TEST_F(SlurmClientTest, CancellingAnEndedArrayIsNoErrorAndARefusalIs) {
  const std::string refusal = "scancel: error: Kill job error on job id 12: ";
  const auto cancel = [&] { return client_.cancel("12"), 0; };
  answer(1, "", refusal + "Invalid job id specified\n");
  answer(1, "", refusal + "Job/step already completing or completed\n");
  cancel();
  cancel();
  EXPECT_EQ(host_.calls.size(), 2U);
  answer(1, "", refusal + "Access/permission denied\n");
  expect_error(cancel, "permission denied");
}

TEST_F(SlurmClientTest, ReadsStatesAndReasonsAndSkipsOtherLines) {
  answer(0,
         "plugin: warning\n12_0|CANCELLED by 0|None\n12_1|PENDING|Resources       \n"
         "12_2|OUT_OF_MEMORY|None\n12_3|COMPLETING|None\n12_[4-6]|PENDING|None\n"
         "12_99999999999|PENDING|None\n12_7|NEW_STATE|None\n");
  const QueuedTasks tasks = client_.tasks_of("12");

  EXPECT_EQ(host_.calls.back().back(), "--format=%i|%T|%64r") << "an answer needs a bound";
  ASSERT_EQ(tasks.size(), 5U);
  EXPECT_EQ(tasks.at(0).state, JobState::kCancelled);
  EXPECT_EQ(tasks.at(1).state, JobState::kPending);
  EXPECT_EQ(tasks.at(1).reason, "Resources");
  EXPECT_EQ(tasks.at(2).state, JobState::kOutOfMemory);
  EXPECT_FALSE(has_ended(tasks.at(3).state));
  EXPECT_FALSE(has_ended(tasks.at(7).state));
}

TEST_F(SlurmClientTest, ReadsTheDetailOfATask) {
  answer(0,
         "JobId=15 JobName=a=b JobState=FAILED Reason=NonZeroExitCode ExitCode=3:9 "
         "TimeLimit=00:02:00 BatchHost=node1 MinMemoryNode=264M\nJobId=16 JobState=RUNNING\n");
  const std::optional<JobDetail> detail = client_.detail_of("12", 3);

  ASSERT_TRUE(detail.has_value());
  EXPECT_EQ(detail->node, "node1");
  EXPECT_EQ(detail->time_limit, "00:02:00");
  EXPECT_EQ(detail->memory_limit, "264M");
  EXPECT_EQ(detail->exit_code, 3);
  EXPECT_EQ(detail->signal, 9);
}

using record::Status;

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

class ProcessSubmitHostTest : public ::testing::Test {
 protected:
  ScratchFolder scratch_;
  ProcessSubmitHost host_{scratch_.path() / "commands"};
};

TEST_F(ProcessSubmitHostTest, ReportsACommandEndedByASignal) {
  EXPECT_EQ(host_.call({"sh", "-c", "kill -9 $$"}).exit_code, -1);
}

TEST_F(ProcessSubmitHostTest, AnAnswerThatIsNotWholeIsNone) {
  const auto answer_of = [&](const char* bytes) {
    return host_.call({"sh", "-c", std::string("head -c ") + bytes + " /dev/zero"});
  };
  EXPECT_EQ(answer_of("500000").out.size(), 500'000U) << "5,000 tasks";
  EXPECT_EQ(answer_of("600000").exit_code, -1);
  for (const char* log : {"stdout.txt", "stderr.txt"}) {
    const std::filesystem::path path = scratch_.path() / "commands" / log;
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    EXPECT_THAT(answer_of("1").err, ::testing::HasSubstr("is the disk full?"));
    std::filesystem::remove(path);
  }
}

TEST_F(ProcessSubmitHostTest, RunsCommandsWithoutVariablesThatOverrideTheLauncher) {
  for (const char* name : {"SQUEUE_USERS", "SCANCEL_STATE", "SBATCH_WAIT", "SLURM_CLUSTERS",
                           "SBATCH_ARRAY_INX", "SBATCH_PARTITION", "SLURM_CONF"}) {
    ::setenv(name, "found", 1);
  }
  const std::string kept = host_.call({"sh", "-c", "env | grep =found | sort"}).out;

  EXPECT_EQ(kept, "SBATCH_PARTITION=found\nSLURM_CONF=found\n");
}

TEST_F(ProcessSubmitHostTest, AnInterruptEndsAWaitAndNoCommand) {
  EXPECT_FALSE(host_.interrupted());
  ::raise(SIGINT);
  host_.wait(3600.0);

  EXPECT_TRUE(host_.interrupted());
  EXPECT_EQ(host_.call({"sh", "-c", "echo still"}).out, "still\n");
}

TEST_F(ProcessSubmitHostTest, WaitsAgainAfterAnInterrupt) {
  ::raise(SIGTERM);
  EXPECT_TRUE(host_.interrupted());
  const double start = host_.now_seconds();
  host_.wait(0.05);

  EXPECT_GE(host_.now_seconds() - start, 0.05);
}

}  // namespace
}  // namespace runahead::slurm
