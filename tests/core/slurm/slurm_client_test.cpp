#include "core/slurm/slurm_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "core/base/error.h"
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

}  // namespace
}  // namespace runahead::slurm
