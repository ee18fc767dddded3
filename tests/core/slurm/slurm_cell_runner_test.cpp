// A sweep's cells as job arrays, on a Slurm in memory whose time passes only while it is waited
// for.

#include "core/slurm/slurm_cell_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/base/error.h"
#include "runner_fixture.h"

namespace runahead::slurm {
namespace {

using record::Status;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SlurmCellRunnerTest : public test::RunnerTest {};

TEST_F(SlurmCellRunnerTest, SubmitsAllThatWasStartedAsOneArray) {
  slurm_.steps = {[&] { slurm_.complete_all("1"); }};
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);
  const std::vector<sweep::CellResult> results = wait_for_all(runner);

  ASSERT_EQ(slurm_.scripts.size(), 1U);
  EXPECT_THAT(slurm_.scripts[0], HasSubstr("#SBATCH --array=0-2\n"));
  EXPECT_THAT(statuses_of(results), ElementsAre(Status::kOk, Status::kOk, Status::kOk));
  for (const sweep::CellResult& result : results) {
    EXPECT_EQ(result.record.id, plan_.cells[result.job.cell].id);
    EXPECT_EQ(result.record.axes, plan_.cells[result.job.cell].axes);
  }
}

TEST_F(SlurmCellRunnerTest, ThrottlesTheArray) {
  SlurmOptions throttled = options();
  throttled.array.at_once = 2;
  slurm_.steps = {[&] { slurm_.complete_all("1"); }};
  SlurmCellRunner runner(slurm_, throttled);
  start_all(runner);
  wait_for_all(runner);

  EXPECT_THAT(slurm_.scripts[0], HasSubstr("#SBATCH --array=0-2%2\n"));
}

TEST_F(SlurmCellRunnerTest, SubmitsOneArrayAfterAnotherWhereSlurmTakesOnlySmallOnes) {
  slurm_.max_array_size = 2;
  slurm_.steps = {[&] { slurm_.complete("1", 0); },
                  [&] {
                    EXPECT_EQ(slurm_.scripts.size(), 1U);
                    slurm_.complete("1", 1);
                  },
                  [&] { slurm_.complete_all("2"); }};
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);

  EXPECT_EQ(wait_for_all(runner).size(), 3U);
  EXPECT_EQ(slurm_.scripts.size(), 2U);
}

TEST_F(SlurmCellRunnerTest, KeepsAResultUntilItsRecordIsStored) {
  slurm_.steps = {[&] { slurm_.complete_all("1"); }};
  SlurmCellRunner runner(slurm_, options());
  runner.start(plan_.cells[0], {0, 0});
  EXPECT_EQ(runner.wait_any().record.status, Status::kOk);
  const auto result = slurm_.array("1").folder.result(0);

  EXPECT_TRUE(std::filesystem::exists(result));
  EXPECT_FALSE(runner.interrupted());
  EXPECT_FALSE(std::filesystem::exists(result));
}

TEST_F(SlurmCellRunnerTest, TellsWhatSlurmEndedAndHow) {
  slurm_.steps = {[&] {
    slurm_.set_state("1", 0, "OUT_OF_MEMORY", "0:125");
    slurm_.set_state("1", 1, "TIMEOUT");
    slurm_.set_state("1", 2, "FAILED", "0:9");
    slurm_.print("1", 2, "slurmstepd: error: StepId=1.batch exceeded memory limit, being killed\n");
  }};
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);
  const std::vector<sweep::CellResult> results = wait_for_all(runner);

  EXPECT_THAT(statuses_of(results),
              ElementsAre(Status::kOutOfMemory, Status::kTimedOut, Status::kOutOfMemory));
  EXPECT_THAT(results[0].record.error.value(), HasSubstr("Slurm task 1_0 on node1"));
  EXPECT_EQ(results[1].record.axes, plan_.cells[1].axes);
}

TEST_F(SlurmCellRunnerTest, KeepsWhatACellThatSlurmEndedHadMeasured) {
  slurm_.steps = {[&] {
    slurm_.leave_result("1", 0, Status::kInterrupted);
    slurm_.set_state("1", 0, "TIMEOUT");
  }};
  SlurmCellRunner runner(slurm_, options());
  runner.start(plan_.cells[0], {0, 0});
  const record::Record record = runner.wait_any().record;

  EXPECT_EQ(record.status, Status::kTimedOut);
  EXPECT_EQ(record.time.total_seconds, 2.0);
}

TEST_F(SlurmCellRunnerTest, WaitsForAFileThatASharedFolderShowsLate) {
  slurm_.steps = {[&] { slurm_.set_state("1", 0, "COMPLETED"); }, [] {}, [] {},
                  [&] { slurm_.leave_result("1", 0, Status::kOk); }};
  SlurmCellRunner runner(slurm_, options());
  runner.start(plan_.cells[0], {0, 0});

  EXPECT_EQ(runner.wait_any().record.status, Status::kOk);
}

TEST_F(SlurmCellRunnerTest, TellsATaskThatEndedAndLeftNothing) {
  slurm_.steps = {[&] { slurm_.set_state("1", 0, "COMPLETED"); }};
  SlurmCellRunner runner(slurm_, options());
  runner.start(plan_.cells[0], {0, 0});
  const record::Record record = runner.wait_any().record;

  EXPECT_EQ(record.status, Status::kCrashed);
  EXPECT_THAT(record.error.value(), HasSubstr("left no result"));
  EXPECT_GE(slurm_.now, 60.0);
}

TEST_F(SlurmCellRunnerTest, SubmitsAgainWhatItsNodeTookWithIt) {
  slurm_.steps = {[&] { slurm_.set_state("1", 0, "NODE_FAIL"); }};
  for (int step = 0; step < 10; ++step) slurm_.steps.push_back([] {});
  slurm_.steps.push_back([&] { slurm_.complete("2", 0); });
  SlurmCellRunner runner(slurm_, options());
  runner.start(plan_.cells[0], {0, 0});

  EXPECT_EQ(runner.wait_any().record.status, Status::kOk);
  EXPECT_EQ(slurm_.scripts.size(), 2U);
}

TEST_F(SlurmCellRunnerTest, SubmitsAgainOnlyOnce) {
  slurm_.steps = {[&] {
    slurm_.leave_result("1", 0, Status::kInterrupted);
    slurm_.set_state("1", 0, "PREEMPTED");
  }};
  for (int step = 0; step < 10; ++step) {
    slurm_.steps.push_back([&] {
      if (slurm_.arrays.size() > 1) slurm_.set_state("2", 0, "PREEMPTED");
    });
  }
  SlurmCellRunner runner(slurm_, options());
  runner.start(plan_.cells[0], {0, 0});
  const record::Record record = runner.wait_any().record;

  EXPECT_EQ(record.status, Status::kCrashed);
  EXPECT_THAT(record.error.value(), HasSubstr("preempted"));
  EXPECT_EQ(slurm_.scripts.size(), 2U);
}

TEST_F(SlurmCellRunnerTest, AFullDiskEndsTheSweepAndTheRunIsMadeByTheNext) {
  slurm_.steps = {[&] {
    slurm_.set_state("1", 0, "FAILED", "1:0");
    slurm_.print(
        "1", 0,
        "runahead: error: the disk is full, so the sweep stops ('/x' could not be written: "
        "No space left on device); free some space\n");
  }};
  {
    SlurmCellRunner runner(slurm_, options());
    runner.start(plan_.cells[0], {0, 0});
    try {
      static_cast<void>(runner.wait_any());
      FAIL() << "it took a full disk for a failure of the cell";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("No space left on device"));
    }
  }
  slurm_.steps.assign(10, [&] {
    if (slurm_.arrays.size() > 1) slurm_.complete_all("2");
  });
  SlurmCellRunner next(slurm_, options());
  next.start(plan_.cells[0], {0, 0});

  EXPECT_EQ(next.wait_any().record.status, Status::kOk);
}

TEST_F(SlurmCellRunnerTest, WaitsForWhatSlurmRequeuedItself) {
  slurm_.steps = {[&] {
                    slurm_.leave_result("1", 0, Status::kInterrupted);
                    slurm_.set_state("1", 0, "COMPLETING");
                  },
                  [&] { slurm_.set_state("1", 0, "PENDING"); }, [] {},
                  [&] { slurm_.complete("1", 0); }};
  SlurmCellRunner runner(slurm_, options());
  runner.start(plan_.cells[0], {0, 0});

  EXPECT_EQ(runner.wait_any().record.status, Status::kOk);
  EXPECT_EQ(slurm_.scripts.size(), 1U);
}

TEST_F(SlurmCellRunnerTest, TellsWhatSomeoneElseCancelled) {
  slurm_.steps = {[&] { slurm_.array("1").tasks.erase(0); }, [&] { slurm_.complete("1", 1); }};
  SlurmCellRunner runner(slurm_, options());
  runner.start(plan_.cells[0], {0, 0});
  runner.start(plan_.cells[1], {1, 0});
  const std::vector<sweep::CellResult> results = wait_for(runner, 2);

  EXPECT_EQ(status_of_cell(results, 0), Status::kInterrupted);
  EXPECT_EQ(status_of_cell(results, 1), Status::kOk);
}

TEST_F(SlurmCellRunnerTest, WaitsForASlurmThatDoesNotAnswerForAWhile) {
  slurm_.steps = {[&] { slurm_.is_silent = true; }, [] {}, [] {},
                  [&] {
                    slurm_.is_silent = false;
                    slurm_.complete_all("1");
                  }};
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);

  EXPECT_THAT(statuses_of(wait_for_all(runner)),
              ElementsAre(Status::kOk, Status::kOk, Status::kOk));
}

TEST_F(SlurmCellRunnerTest, EndsWhenSlurmHasNotAnsweredForTenMinutes) {
  slurm_.steps = {[&] { slurm_.is_silent = true; }};
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);

  try {
    static_cast<void>(runner.wait_any());
    FAIL() << "it took silence for an answer";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("start the same sweep again"));
  }
  EXPECT_GE(slurm_.now, 600.0);
}

TEST_F(SlurmCellRunnerTest, EndsWhenSlurmHasToldNoDetailsForTenMinutes) {
  slurm_.steps = {[&] {
    slurm_.set_state("1", 0, "NODE_FAIL");
    slurm_.tells_details = false;
  }};
  SlurmCellRunner runner(slurm_, options());
  runner.start(plan_.cells[0], {0, 0});

  EXPECT_THROW(static_cast<void>(runner.wait_any()), Error);
  EXPECT_GE(slurm_.now, 600.0);
  EXPECT_LT(slurm_.now, 700.0);
}

TEST_F(SlurmCellRunnerTest, TakesResultsThoughSlurmDoesNotAnswer) {
  slurm_.steps = {[&] {
    slurm_.complete_all("1");
    slurm_.is_silent = true;
  }};
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);

  EXPECT_THAT(statuses_of(wait_for_all(runner)),
              ElementsAre(Status::kOk, Status::kOk, Status::kOk));
}

TEST_F(SlurmCellRunnerTest, WarnsOnceOfTasksThatSlurmHolds) {
  slurm_.steps = {[&] {
                    slurm_.array("1").tasks[0].reason = "launch failed requeued held";
                    slurm_.array("1").tasks[1].reason = "launch failed requeued held";
                  },
                  [&] { slurm_.complete("1", 0); }, [&] { slurm_.complete_all("1"); }};
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);
  ::testing::internal::CaptureStderr();
  wait_for_all(runner);
  const std::string log = ::testing::internal::GetCapturedStderr();

  EXPECT_THAT(log, HasSubstr("scontrol release 1"));
  EXPECT_EQ(log.find("scontrol release"), log.rfind("scontrol release"));
}

TEST_F(SlurmCellRunnerTest, EndsAtOnceWhenAnotherTryCannotBeWritten) {
  slurm_.steps = {[&] {
    slurm_.set_state("1", 0, "NODE_FAIL");
    runahead::test::write_text(arrays_folder(sweep_folder()) / "0002", "where its folder would be");
  }};
  SlurmCellRunner runner(slurm_, options());
  runner.start(plan_.cells[0], {0, 0});

  EXPECT_THROW(static_cast<void>(runner.wait_any()), Error);
  EXPECT_LT(slurm_.now, 60.0);
}

TEST_F(SlurmCellRunnerTest, TellsWhatSlurmRefuses) {
  slurm_.refusal = "Batch job submission failed: Invalid account";
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);

  try {
    static_cast<void>(runner.wait_any());
    FAIL() << "it took a refusal for an array";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("Invalid account"));
  }
}

TEST_F(SlurmCellRunnerTest, NeedsASlurmThatAnswers) {
  slurm_.is_silent = true;
  EXPECT_THROW(SlurmCellRunner(slurm_, options()), UnavailableError);
  slurm_.is_silent = false;
  slurm_.is_installed = false;
  EXPECT_THROW(SlurmCellRunner(slurm_, options()), UnavailableError);
}

TEST_F(SlurmCellRunnerTest, WaitsForNothingThatWasNotStarted) {
  SlurmCellRunner runner(slurm_, options());

  EXPECT_THROW(static_cast<void>(runner.wait_any()), UsageError);
}

}  // namespace
}  // namespace runahead::slurm
