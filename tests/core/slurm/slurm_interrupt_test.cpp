// What becomes of a sweep's arrays when the user asks to stop.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/slurm/slurm_cell_runner.h"
#include "runner_fixture.h"

namespace runahead::slurm {
namespace {

using record::Status;
using ::testing::ElementsAre;

class SlurmInterruptTest : public test::RunnerTest {};

TEST_F(SlurmInterruptTest, CancelsAtAnInterruptAndKeepsWhatRan) {
  slurm_.steps = {[&] { slurm_.set_state("1", 0, "RUNNING"); },
                  [&] { slurm_.asked_to_stop = true; },
                  [&] { slurm_.leave_result("1", 0, Status::kInterrupted); }};
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);
  const std::vector<sweep::CellResult> results = wait_for_all(runner);

  EXPECT_THAT(slurm_.calls_of("scancel"), ElementsAre(ElementsAre("scancel", "1")));
  for (const sweep::CellResult& result : results) {
    EXPECT_EQ(result.began, result.job.cell == 0);
    if (!result.began) continue;
    EXPECT_EQ(result.record.status, Status::kInterrupted);
    EXPECT_EQ(result.record.time.total_seconds, 2.0);
  }
  EXPECT_TRUE(runner.interrupted());
}

TEST_F(SlurmInterruptTest, WhatLosesItsNodeWhileItIsCancelledIsInterrupted) {
  slurm_.steps = {[&] { slurm_.set_state("1", 0, "RUNNING"); },
                  [&] {
                    slurm_.heeds_scancel = false;
                    slurm_.asked_to_stop = true;
                  },
                  [&] { slurm_.set_state("1", 0, "NODE_FAIL"); }};
  SlurmCellRunner runner(slurm_, options());
  runner.start(plan_.cells[0], {0, 0});
  const sweep::CellResult result = runner.wait_any();

  EXPECT_TRUE(result.began);
  EXPECT_EQ(result.record.status, Status::kInterrupted);
}

TEST_F(SlurmInterruptTest, SubmitsNothingAfterAnInterrupt) {
  slurm_.asked_to_stop = true;
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);
  for (const sweep::CellResult& result : wait_for_all(runner)) EXPECT_FALSE(result.began);

  EXPECT_TRUE(slurm_.scripts.empty());
  EXPECT_TRUE(std::filesystem::is_empty(arrays_folder(sweep_folder())));
}

TEST_F(SlurmInterruptTest, GivesUpTwoMinutesAfterACancelThatDoesNothing) {
  slurm_.heeds_scancel = false;
  slurm_.steps = {[&] { slurm_.set_state("1", 0, "RUNNING"); },
                  [&] { slurm_.asked_to_stop = true; }};
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);
  const std::vector<sweep::CellResult> results = wait_for_all(runner);

  EXPECT_EQ(results.size(), 3U);
  EXPECT_EQ(status_of_cell(results, 0), Status::kInterrupted);
  EXPECT_GE(slurm_.now, 120.0);
  EXPECT_LE(slurm_.now, 180.0);
}

TEST_F(SlurmInterruptTest, AsksNothingOfTasksThatHadNotBegun) {
  slurm_.steps = {[&] { slurm_.set_state("1", 0, "RUNNING"); },
                  [&] { slurm_.asked_to_stop = true; }};
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);
  const std::vector<sweep::CellResult> results = wait_for_all(runner);

  EXPECT_EQ(status_of_cell(results, 0), Status::kInterrupted);
  EXPECT_EQ(slurm_.detail_calls(), 1U);
}

TEST_F(SlurmInterruptTest, ASlowSlurmIsAskedForTwoMinutesOnly) {
  slurm_.steps = {[&] { slurm_.set_all("1", "RUNNING"); },
                  [&] {
                    slurm_.asked_to_stop = true;
                    slurm_.seconds_per_call = 30.0;
                  }};
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);
  const std::vector<sweep::CellResult> results = wait_for_all(runner);

  EXPECT_THAT(statuses_of(results), ::testing::Each(Status::kInterrupted));
  EXPECT_LT(slurm_.detail_calls(), 3U);
}

TEST_F(SlurmInterruptTest, KeepsAResultOfATaskThatItGivesUp) {
  slurm_.heeds_scancel = false;
  slurm_.steps = {[&] { slurm_.set_state("1", 0, "RUNNING"); },
                  [&] {
                    slurm_.asked_to_stop = true;
                    slurm_.leave_result("1", 0, Status::kInterrupted);
                  }};
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);
  const std::vector<sweep::CellResult> results = wait_for_all(runner);

  const auto kept = std::find_if(results.begin(), results.end(),
                                 [](const auto& result) { return result.job.cell == 0; });
  ASSERT_NE(kept, results.end());
  EXPECT_EQ(kept->record.time.total_seconds, 2.0);
}

TEST_F(SlurmInterruptTest, TriesToCancelUntilSlurmAnswers) {
  slurm_.steps = {[&] { slurm_.set_state("1", 0, "RUNNING"); },
                  [&] {
                    slurm_.asked_to_stop = true;
                    slurm_.is_silent = true;
                  },
                  [] {}, [] {}, [&] { slurm_.is_silent = false; }};
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);
  ::testing::internal::CaptureStderr();
  const std::vector<sweep::CellResult> results = wait_for_all(runner);
  const std::string log = ::testing::internal::GetCapturedStderr();

  EXPECT_EQ(status_of_cell(results, 0), Status::kInterrupted);
  EXPECT_TRUE(slurm_.array("1").tasks.count(1) == 0) << "it was cancelled in the end";
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
}

}  // namespace
}  // namespace runahead::slurm
