// What a sweep does with the arrays that an earlier one left: it was killed, or interrupted.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/slurm/earlier_arrays.h"
#include "core/slurm/slurm_cell_runner.h"
#include "runner_fixture.h"

namespace runahead::slurm {
namespace {

using record::Status;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TakeoverTest : public test::RunnerTest {
 protected:
  /// A sweep that submitted all its cells and was then killed.
  void submit_and_die() {
    slurm_.steps = {[] { throw std::runtime_error("killed"); }};
    SlurmCellRunner runner(slurm_, options());
    start_all(runner);
    EXPECT_THROW(static_cast<void>(runner.wait_any()), std::runtime_error);
  }

  /// All cells of the plan, by a sweep that resumes.
  std::vector<sweep::CellResult> resume(const SlurmOptions& with) {
    SlurmCellRunner runner(slurm_, with);
    start_all(runner);
    return wait_for_all(runner);
  }
  std::vector<sweep::CellResult> resume() { return resume(options()); }
};

TEST_F(TakeoverTest, TakesOverAnArrayThatStillRuns) {
  submit_and_die();
  slurm_.steps = {[&] { slurm_.complete_all("1"); }};

  EXPECT_THAT(statuses_of(resume()), Each(Status::kOk));
  EXPECT_EQ(slurm_.scripts.size(), 1U);
  EXPECT_TRUE(slurm_.calls_of("scancel").empty());
}

TEST_F(TakeoverTest, TakesResultsThatCameWhileNobodyWatched) {
  submit_and_die();
  slurm_.leave_result("1", 1, Status::kOk);
  slurm_.array("1").tasks.clear();  // Slurm has forgotten it.
  slurm_.steps.clear();
  for (int step = 0; step < 10; ++step) {
    slurm_.steps.push_back([&] {
      if (slurm_.arrays.size() > 1) slurm_.complete_all("2");
    });
  }
  const std::vector<sweep::CellResult> results = resume();

  EXPECT_THAT(statuses_of(results), Each(Status::kOk));
  EXPECT_EQ(results.front().job.cell, 1U);
  ASSERT_EQ(slurm_.scripts.size(), 2U);
  EXPECT_EQ(TaskList(slurm_.array("2").folder.tasks()).size(), 2);
}

TEST_F(TakeoverTest, FindsByItsNameAnArrayWhoseNumberWasLost) {
  submit_and_die();
  std::filesystem::remove(slurm_.array("1").folder.path() / "job.json");
  slurm_.steps = {[&] { slurm_.complete_all("1"); }};

  EXPECT_THAT(statuses_of(resume()), Each(Status::kOk));
  EXPECT_EQ(slurm_.scripts.size(), 1U);
}

TEST_F(TakeoverTest, RemovesWhatWasNeverSubmitted) {
  slurm_.refusal = "Invalid account";
  {
    SlurmCellRunner runner(slurm_, options());
    start_all(runner);
    EXPECT_THROW(static_cast<void>(runner.wait_any()), Error);
  }
  slurm_.refusal = "";
  slurm_.steps = {[&] { slurm_.complete_all("1"); }};

  EXPECT_THAT(statuses_of(resume()), Each(Status::kOk));
  const std::filesystem::directory_iterator folders(arrays_folder(sweep_folder()));
  EXPECT_EQ(std::distance(folders, std::filesystem::directory_iterator()), 1);
}

TEST_F(TakeoverTest, CancelsAnArrayWithOtherLimitsAndWaitsUntilItIsGone) {
  submit_and_die();
  slurm_.set_state("1", 0, "RUNNING");
  SlurmOptions longer = options();
  longer.array.needs.timeout_seconds = 600.0;
  slurm_.steps = {[&] { EXPECT_EQ(slurm_.scripts.size(), 1U); }};
  for (int step = 0; step < 10; ++step) {
    slurm_.steps.push_back([&] {
      if (slurm_.arrays.size() > 1) slurm_.complete_all("2");
    });
  }
  const std::vector<sweep::CellResult> results = resume(longer);

  EXPECT_THAT(statuses_of(results), Each(Status::kOk));
  EXPECT_THAT(slurm_.calls_of("scancel"), ElementsAre(ElementsAre("scancel", "1")));
  EXPECT_EQ(slurm_.scripts.size(), 2U);
}

TEST_F(TakeoverTest, AFreshSweepTakesNothingOver) {
  submit_and_die();
  slurm_.leave_result("1", 0, Status::kOk);
  SlurmOptions fresh = options();
  fresh.takes_over = false;
  slurm_.steps.clear();
  for (int step = 0; step < 10; ++step) {
    slurm_.steps.push_back([&] {
      if (slurm_.arrays.size() > 1) slurm_.complete_all("2");
    });
  }

  EXPECT_THAT(statuses_of(resume(fresh)), Each(Status::kOk));
  EXPECT_EQ(TaskList(slurm_.array("2").folder.tasks()).size(), 3);
}

TEST_F(TakeoverTest, WhatResumesAFreshSweepTakesNothingOfWhatWasBeforeIt) {
  submit_and_die();
  slurm_.leave_result("1", 0, Status::kOk);
  SlurmOptions fresh = options();
  fresh.takes_over = false;
  { SlurmCellRunner killed_at_once(slurm_, fresh); }

  EXPECT_TRUE(ArrayFolder::open_ones(arrays_folder(sweep_folder())).empty());
}

TEST_F(TakeoverTest, AFreshStartWithoutSlurmClosesWhatIsOpenAndNamesIt) {
  submit_and_die();
  const std::size_t calls = slurm_.calls.size();
  ::testing::internal::CaptureStderr();
  close_earlier_arrays(sweep_folder());
  const std::string log = ::testing::internal::GetCapturedStderr();

  EXPECT_THAT(log, HasSubstr("Slurm array 1 "));
  EXPECT_THAT(log, HasSubstr("scancel 1"));
  EXPECT_TRUE(ArrayFolder::open_ones(arrays_folder(sweep_folder())).empty());
  EXPECT_EQ(slurm_.calls.size(), calls);
}

TEST_F(TakeoverTest, TakesNoResultOfAnotherVersion) {
  submit_and_die();
  slurm_.leave_result("1", 0, Status::kOk);
  ArrayHeader header = slurm_.array("1").folder.read_header();
  header.version = "0.0.1";
  slurm_.array("1").folder.write_header(header);
  slurm_.array("1").tasks.clear();
  slurm_.steps.clear();
  for (int step = 0; step < 10; ++step) {
    slurm_.steps.push_back([&] {
      if (slurm_.arrays.size() > 1) slurm_.complete_all("2");
    });
  }

  EXPECT_THAT(statuses_of(resume()), Each(Status::kOk));
  EXPECT_EQ(TaskList(slurm_.array("2").folder.tasks()).size(), 3);
}

TEST_F(TakeoverTest, RunsAnewWhatWasStoredAndIsWantedAgain) {
  {
    slurm_.steps = {[&] {
                      slurm_.leave_result("1", 0, Status::kFailed);
                      slurm_.set_state("1", 0, "COMPLETED");
                      slurm_.set_state("1", 1, "RUNNING");
                    },
                    [] { throw std::runtime_error("killed"); }};
    SlurmCellRunner runner(slurm_, options());
    start_all(runner);
    EXPECT_EQ(runner.wait_any().record.status, Status::kFailed);
    EXPECT_THROW(static_cast<void>(runner.wait_any()), std::runtime_error);
  }
  slurm_.steps = {[&] {
    slurm_.complete("1", 1);
    slurm_.complete("1", 2);
  }};
  for (int step = 0; step < 10; ++step) {
    slurm_.steps.push_back([&] {
      if (slurm_.arrays.size() > 1) slurm_.complete_all("2");
    });
  }

  EXPECT_THAT(statuses_of(resume()), Each(Status::kOk));
  EXPECT_EQ(TaskList(slurm_.array("2").folder.tasks()).size(), 1);
}

TEST_F(TakeoverTest, CancelsTasksThatNobodyWantsAnyMore) {
  submit_and_die();
  slurm_.set_state("1", 2, "RUNNING");
  slurm_.steps = {[&] { slurm_.complete("1", 0); }};
  SlurmCellRunner runner(slurm_, options());
  runner.start(plan_.cells[0], {0, 0});

  EXPECT_EQ(wait_for(runner, 1).front().record.status, Status::kOk);
  EXPECT_THAT(slurm_.calls_of("scancel"), ElementsAre(ElementsAre("scancel", "1_1", "1_2")));
}

TEST_F(TakeoverTest, WaitsForASlurmThatDoesNotAnswerForAWhile) {
  submit_and_die();
  SlurmCellRunner runner(slurm_, options());
  runner.start(plan_.cells[0], {0, 0});
  slurm_.is_silent = true;
  slurm_.steps = {[] {},
                  [&] {
                    slurm_.is_silent = false;
                    slurm_.complete("1", 0);
                  }};

  EXPECT_EQ(wait_for(runner, 1).front().record.status, Status::kOk);
  EXPECT_THAT(slurm_.calls_of("scancel"), ElementsAre(ElementsAre("scancel", "1_1", "1_2")));
}

TEST_F(TakeoverTest, CancelsAndClosesWhereNothingIsLeftToRun) {
  submit_and_die();
  slurm_.set_state("1", 2, "RUNNING");
  SlurmCellRunner runner(slurm_, options());
  runner.finish();

  EXPECT_THAT(slurm_.calls_of("scancel"), ElementsAre(ElementsAre("scancel", "1_0", "1_1", "1_2")));
  EXPECT_TRUE(ArrayFolder::open_ones(arrays_folder(sweep_folder())).empty());
}

TEST_F(TakeoverTest, AnInterruptedSweepKeepsWhatItDidNotAskFor) {
  submit_and_die();
  slurm_.leave_result("1", 0, Status::kOk);
  {
    SlurmCellRunner runner(slurm_, options());
    slurm_.asked_to_stop = true;
    runner.finish();
  }

  EXPECT_THAT(slurm_.calls_of("scancel"), ElementsAre(ElementsAre("scancel", "1")));
  EXPECT_EQ(ArrayFolder::open_ones(arrays_folder(sweep_folder())).size(), 1U);
}

TEST_F(TakeoverTest, SubmitsAgainWhatAnInterruptCutShort) {
  slurm_.steps = {[&] { slurm_.set_state("1", 0, "RUNNING"); },
                  [&] { slurm_.asked_to_stop = true; },
                  [&] { slurm_.leave_result("1", 0, Status::kInterrupted); }};
  {
    SlurmCellRunner runner(slurm_, options());
    start_all(runner);
    wait_for_all(runner);
  }
  slurm_.asked_to_stop = false;
  slurm_.steps = {[&] { slurm_.complete_all("2"); }};

  EXPECT_THAT(statuses_of(resume()), Each(Status::kOk));
  EXPECT_EQ(slurm_.scripts.size(), 2U);
}

}  // namespace
}  // namespace runahead::slurm
