#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "core/base/error.h"
#include "core/slurm/slurm_cell_runner.h"
#include "fake_slurm.h"
#include "support/error_message.h"

namespace runahead::slurm {
namespace {

// Runs of a sweep as shards in job arrays, on a fake Slurm with a clock of its own.

using record::Status;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SlurmCellRunnerTest : public test::RunnerTest {
 protected:
  record::Record run_first_cell() {
    const auto runner = make_runner();
    runner->start(plan_.cells[0], {0, 0});
    return runner->wait_any().record;
  }
  static std::string error_of_wait(sweep::CellRunner& runner) {
    return runahead::test::error_message<Error>([&] { static_cast<void>(runner.wait_any()); });
  }
};

TEST_F(SlurmCellRunnerTest, SubmitsOneArrayAfterAnotherIfSlurmAllowsOnlySmallOnes) {
  slurm_.max_array_size = 2;
  slurm_.steps = {[&] { slurm_.complete("1", 0); },
                  [&] {
                    EXPECT_EQ(slurm_.scripts.size(), 1U);
                    slurm_.complete("1", 1);
                  },
                  [&] { slurm_.complete_all("2"); }};

  EXPECT_EQ(run_all().size(), 3U);
  EXPECT_EQ(slurm_.scripts.size(), 2U);
}

TEST_F(SlurmCellRunnerTest, ReportsWhatSlurmEndedAndHow) {
  slurm_.steps = {[&] {
    slurm_.set_state("1", 0, "OUT_OF_MEMORY", "0:125");
    slurm_.set_state("1", 1, "TIMEOUT");
    slurm_.set_state("1", 2, "FAILED", "0:9");
    slurm_.print("1", 2, "slurmstepd: error: StepId=1.batch exceeded memory limit, being killed\n");
  }};
  const std::vector<sweep::CellResult> results = run_all();

  EXPECT_THAT(statuses_of(results),
              ElementsAre(Status::kOutOfMemory, Status::kTimedOut, Status::kOutOfMemory));
  EXPECT_THAT(results[0].record.error.value(), HasSubstr("Slurm task 1_0 on node1"));
  EXPECT_EQ(results[1].record.axes, plan_.cells[1].axes);
}

TEST_F(SlurmCellRunnerTest, WaitsForAFileThatASharedFolderShowsLate) {
  struct Row {
    const char* state;
    const char* exit;
    bool is_forgotten;
    Status status;
  };
  std::string job = "0";
  for (const auto& [state, exit, is_forgotten, status] :
       {Row{"COMPLETED", "0:0", false, Status::kTimedOut},
        Row{"COMPLETED", "0:0", true, Status::kTimedOut},
        Row{"FAILED", "4:0", false, Status::kTimedOut},
        Row{"FAILED", "4:0", true, Status::kTimedOut},
        Row{"FAILED", "0:9", false, Status::kCrashed}}) {
    job = std::to_string(slurm_.arrays.size() + 1);
    slurm_.steps.assign(7, [] {});
    slurm_.steps[0] = [&] { slurm_.set_state(job, 0, state, exit); };
    if (is_forgotten) slurm_.steps[5] = [&] { slurm_.array(job).tasks.clear(); };
    slurm_.steps.push_back([&] { slurm_.leave_record(job, 0, Status::kTimedOut); });

    EXPECT_EQ(run_first_cell().status, status) << state << " " << exit;
    close_open_array(sweep_folder());
    EXPECT_LE(slurm_.calls_of("scontrol").size(), 2U * slurm_.arrays.size()) << "asked again";
  }
}

TEST_F(SlurmCellRunnerTest, TriesSmallerArraysIfSlurmRejectsLargeOnes) {
  slurm_.most_submitted = 1;
  for (const char* job : {"1", "2", "3"}) {
    slurm_.steps.push_back([&, job] { slurm_.complete_all(job); });
  }
  EXPECT_THAT(statuses_of(run_all()), ::testing::Each(Status::kOk));
  EXPECT_EQ(slurm_.calls_of("sbatch").size(), 4U);
  EXPECT_THAT(slurm_.array("3").files.shards, ElementsAre(2));

  slurm_.most_submitted = 0;
  const auto runner = make_runner();
  start_all(*runner);
  EXPECT_THAT(error_of_wait(*runner), HasSubstr("job submit limit"));
}

TEST_F(SlurmCellRunnerTest, OnlyAnArrayThatSlurmMayHaveStaysOpen) {
  const std::string failed = "sbatch: error: Batch job submission failed: ";
  for (const auto& [words, is_open] :
       {std::pair{"Requested node configuration is not available\n", false},
        std::pair{"Socket timed out on send/recv operation\n", true}}) {
    slurm_.rejection = failed + words;
    const auto runner = make_runner();
    start_all(*runner);
    EXPECT_THAT(error_of_wait(*runner), HasSubstr("submission failed"));
    EXPECT_EQ(open_array(sweep_folder()).has_value(), is_open) << words;
  }
}

TEST_F(SlurmCellRunnerTest, SubmitsAgainOnlyOnce) {
  slurm_.steps = {[&] {
    slurm_.leave_record("1", 0, Status::kInterrupted);
    slurm_.set_state("1", 0, "PREEMPTED");
  }};
  for (int step = 0; step < 10; ++step) {
    slurm_.steps.push_back([&] {
      if (slurm_.arrays.size() > 1) slurm_.set_state("2", 0, "PREEMPTED");
    });
  }
  const record::Record record = run_first_cell();

  EXPECT_EQ(record.status, Status::kCrashed);
  EXPECT_THAT(record.error.value(), HasSubstr("preempted"));
  EXPECT_EQ(slurm_.scripts.size(), 2U);
}

TEST_F(SlurmCellRunnerTest, AFullDiskEndsTheSweepAndTheNextRunsThatCell) {
  slurm_.steps = {[&] {
    slurm_.set_state("1", 0, "FAILED", "1:0");
    slurm_.print(
        "1", 0,
        "runahead: error: the disk is full, so the sweep stops ('/x' could not be written: "
        "No space left on device); free some space\n");
  }};
  {
    const auto runner = make_runner();
    runner->start(plan_.cells[0], {0, 0});
    EXPECT_THAT(error_of_wait(*runner), HasSubstr("No space left on device"));
  }
  complete_once_submitted("2");

  EXPECT_EQ(run_first_cell().status, Status::kOk);
}

TEST_F(SlurmCellRunnerTest, WaitsForATaskThatSlurmRequeues) {
  slurm_.steps = {[&] {
                    slurm_.leave_record("1", 0, Status::kInterrupted);
                    slurm_.set_state("1", 0, "COMPLETING");
                  },
                  [&] { slurm_.set_state("1", 0, "PENDING"); }, [] {},
                  [&] { slurm_.complete("1", 0); }};

  EXPECT_EQ(run_first_cell().status, Status::kOk);
  EXPECT_EQ(slurm_.scripts.size(), 1U);
}

TEST_F(SlurmCellRunnerTest, ATaskCancelledByOthersIsInterrupted) {
  slurm_.steps = {[&] { slurm_.array("1").tasks.erase(0); }, [&] { slurm_.complete("1", 1); }};
  const auto runner = make_runner();
  runner->start(plan_.cells[0], {0, 0});
  runner->start(plan_.cells[1], {1, 0});
  const std::vector<sweep::CellResult> results = wait_for(*runner, 2);

  EXPECT_EQ(status_of_cell(results, 0), Status::kInterrupted);
  EXPECT_EQ(status_of_cell(results, 1), Status::kOk);
}

TEST_F(SlurmCellRunnerTest, EndsWhenSlurmHasNotAnsweredForTenMinutes) {
  slurm_.steps = {[&] { slurm_.is_silent = true; }};
  const auto runner = make_runner();
  start_all(*runner);

  EXPECT_THAT(error_of_wait(*runner), HasSubstr("run the same command again"));
  EXPECT_GE(slurm_.now, 600.0);
}

TEST_F(SlurmCellRunnerTest, CancelsAtAnInterruptAndKeepsWhatRan) {
  slurm_.steps = {[&] { slurm_.set_state("1", 0, "RUNNING"); },
                  [&] { slurm_.asked_to_stop = true; },
                  [&] { slurm_.leave_record("1", 0, Status::kInterrupted); }};
  const auto runner = make_runner();
  start_all(*runner);
  const std::vector<sweep::CellResult> results = wait_for_all(*runner);

  EXPECT_THAT(slurm_.calls_of("scancel"), ElementsAre(ElementsAre("scancel", "1")));
  for (const sweep::CellResult& result : results) {
    EXPECT_EQ(result.began, result.job.cell == 0);
    if (!result.began) continue;
    EXPECT_EQ(result.record.status, Status::kInterrupted);
    EXPECT_EQ(result.record.time.total_seconds, 2.0);
  }
  EXPECT_TRUE(runner->interrupted());
}

TEST_F(SlurmCellRunnerTest, GivesUpTwoMinutesAfterACancelWithoutEffect) {
  slurm_.obeys_scancel = false;
  slurm_.steps = {[&] { slurm_.set_state("1", 0, "RUNNING"); },
                  [&] { slurm_.asked_to_stop = true; }};
  const std::vector<sweep::CellResult> results = run_all();

  EXPECT_EQ(results.size(), 3U);
  EXPECT_EQ(status_of_cell(results, 0), Status::kInterrupted);
  EXPECT_GE(slurm_.now, 120.0);
  EXPECT_LE(slurm_.now, 180.0);
}

TEST_F(SlurmCellRunnerTest, RetriesTheCancelUntilSlurmAnswers) {
  slurm_.steps = {[&] { slurm_.set_state("1", 0, "RUNNING"); },
                  [&] {
                    slurm_.asked_to_stop = true;
                    slurm_.is_silent = true;
                  },
                  [] {}, [] {}, [&] { slurm_.is_silent = false; }};
  ::testing::internal::CaptureStderr();
  const std::vector<sweep::CellResult> results = run_all();
  const std::string log = ::testing::internal::GetCapturedStderr();

  EXPECT_EQ(status_of_cell(results, 0), Status::kInterrupted);
  EXPECT_TRUE(slurm_.array("1").tasks.count(1) == 0) << "it was cancelled in the end";
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
}

// What a sweep does with the array of an earlier one that was killed.

using ::testing::Each;

class SlurmTakeoverTest : public test::RunnerTest {
 protected:
  /// A sweep that submits all its runs and is then killed.
  void submit_and_die(const SlurmOptions& with) {
    slurm_.steps = {[] { throw std::runtime_error("killed"); }};
    const auto runner = make_runner(with);
    start_all(*runner);
    EXPECT_THROW(static_cast<void>(runner->wait_any()), std::runtime_error);
  }
  void submit_and_die() { submit_and_die(options()); }
};

TEST_F(SlurmTakeoverTest, TakesOverAnArrayThatStillRuns) {
  SlurmOptions same = options();
  same.retry = {"failed", "crashed"};
  submit_and_die(same);
  slurm_.steps = {[&] { slurm_.complete_all("1"); }};

  std::swap(same.retry[0], same.retry[1]);
  EXPECT_THAT(statuses_of(run_all(same)), Each(Status::kOk));
  EXPECT_EQ(slurm_.scripts.size(), 1U);
  EXPECT_TRUE(slurm_.calls_of("scancel").empty());
  EXPECT_FALSE(open_array(sweep_folder()).has_value());
}

TEST_F(SlurmTakeoverTest, SubmitsWhatAForgottenArrayLeftWithoutARecord) {
  submit_and_die();
  slurm_.leave_record("1", 1, Status::kOk);
  slurm_.array("1").tasks.clear();
  complete_once_submitted("2");

  EXPECT_THAT(statuses_of(run_all()), Each(Status::kOk));
  ASSERT_EQ(slurm_.scripts.size(), 2U);
  EXPECT_THAT(slurm_.array("2").files.shards, ElementsAre(0, 2));
}

TEST_F(SlurmTakeoverTest, FindsAnArrayByItsNameIfItsIdWasLost) {
  submit_and_die();
  slurm_.array("1").files.save();  // As it was before sbatch returned.
  slurm_.steps = {[&] { slurm_.complete_all("1"); }};

  EXPECT_THAT(statuses_of(run_all()), Each(Status::kOk));
  EXPECT_EQ(slurm_.scripts.size(), 1U);
}

TEST_F(SlurmTakeoverTest, CancelsAnArrayOfOtherSettingsAndWaitsForItsEnd) {
  submit_and_die();
  slurm_.obeys_scancel = false;
  slurm_.set_state("1", 0, "RUNNING");
  SlurmOptions other = options();
  other.sweep = {{"seeds", 4}};
  complete_once_submitted("2");
  slurm_.steps.push_front([&] {
    EXPECT_EQ(slurm_.scripts.size(), 1U);
    slurm_.set_all("1", "CANCELLED");
  });

  EXPECT_THAT(statuses_of(run_all(other)), Each(Status::kOk));
  EXPECT_THAT(slurm_.calls_of("scancel"), ElementsAre(ElementsAre("scancel", "1")));
  EXPECT_EQ(slurm_.scripts.size(), 2U);
}

TEST_F(SlurmTakeoverTest, RunsAgainWhatWasStoredAndIsWantedAgain) {
  SlurmOptions retrying = options();
  retrying.retry = {"failed"};
  submit_and_die(retrying);
  slurm_.set_state("1", 0, "COMPLETED");  // Its record was stored and its shard's file deleted.
  complete_once_submitted("2");
  slurm_.steps.push_front([&] {
    slurm_.complete("1", 1);
    slurm_.complete("1", 2);
  });

  EXPECT_THAT(statuses_of(run_all(retrying)), Each(Status::kOk));
  EXPECT_THAT(slurm_.array("2").files.shards, ElementsAre(0));
}

TEST_F(SlurmTakeoverTest, ASubmissionDeletesWhatTheShardsLeftBefore) {
  submit_and_die();
  slurm_.leave_record("1", 0, Status::kFailed);
  slurm_.array("1").files.close();
  slurm_.steps = {[&] { slurm_.set_state("2", 0, "RUNNING"); }, [&] { slurm_.complete_all("2"); }};

  EXPECT_THAT(statuses_of(run_all()), Each(Status::kOk));
}

TEST_F(SlurmTakeoverTest, AFreshSweepCancelsTheArrayAndDeletesItsRecords) {
  submit_and_die();
  slurm_.leave_record("1", 0, Status::kFailed);
  SlurmOptions fresh = options();
  fresh.takes_over = false;
  static_cast<void>(make_runner(fresh));

  EXPECT_FALSE(std::filesystem::exists(slurm_.shard_file("1", 0)));
  complete_once_submitted("2");
  EXPECT_THAT(statuses_of(run_all(fresh)), Each(Status::kOk));
  EXPECT_THAT(slurm_.array("2").files.shards, ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace runahead::slurm
