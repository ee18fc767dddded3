// What a sweep through Slurm tells while it waits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/slurm/slurm_cell_runner.h"
#include "runner_fixture.h"
#include "support/text_file.h"

namespace runahead::slurm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using SlurmProgress = test::RunnerTest;

TEST_F(SlurmProgress, TellsTheStatesWhenTheyChange) {
  SlurmOptions telling = options();
  std::vector<std::string> told;
  telling.tell = [&](const std::string& line) { told.push_back(line); };
  slurm_.steps = {[&] { slurm_.set_state("1", 1, "RUNNING"); }, [] {},
                  [&] { slurm_.complete_all("1"); }};
  SlurmCellRunner runner(slurm_, telling);
  start_all(runner);
  wait_for_all(runner);

  EXPECT_THAT(told, ElementsAre("Slurm array 1: 3 pending (Resources), 0 ended",
                                "Slurm array 1: 1 running, 2 pending (Resources), 0 ended",
                                "Slurm array 1: 3 ended"));
}

TEST_F(SlurmProgress, WarnsOnceOfTasksThatSlurmHolds) {
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

  EXPECT_THAT(log, HasSubstr("Slurm holds 2 tasks of array 1 (launch failed requeued held)"));
  EXPECT_THAT(log, HasSubstr("scontrol release 1"));
  EXPECT_EQ(log.find("scontrol release"), log.rfind("scontrol release"));
}

TEST_F(SlurmProgress, WarnsOnceOfEachReasonThatDoesNotPassByItself) {
  const auto set_reasons = [&](const std::string& first, const std::string& second) {
    slurm_.array("1").tasks[0].reason = first;
    slurm_.array("1").tasks[1].reason = second;
  };
  slurm_.steps = {[&] { set_reasons("ReqNodeNotAvail, UnavailableNodes:a", "Priority"); },
                  [&] { set_reasons("ReqNodeNotAvail, UnavailableNodes:b", "BadConstraints"); },
                  [&] { slurm_.complete_all("1"); }};
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);
  ::testing::internal::CaptureStderr();
  wait_for_all(runner);
  const std::string log = ::testing::internal::GetCapturedStderr();

  EXPECT_THAT(log, HasSubstr("lets 1 task of array 1 wait (ReqNodeNotAvail, UnavailableNodes:a)"));
  EXPECT_THAT(log, HasSubstr("lets 1 task of array 1 wait (BadConstraints)"));
  EXPECT_THAT(log, Not(HasSubstr("UnavailableNodes:b")));
  EXPECT_THAT(log, Not(HasSubstr("Priority")));
  EXPECT_THAT(log, Not(HasSubstr("(Resources)"))) << "that passes when others end";
}

TEST_F(SlurmProgress, TellsWhatRunsAndWhatWaits) {
  slurm_.steps = {[&] {
    slurm_.set_state("1", 1, "RUNNING");
    slurm_.set_state("1", 2, "RUNNING");
    const auto cell = sweep_folder() / "cells" / sweep::folder_name(plan_.cells[1], 0);
    runahead::test::write_text(
        cell / "progress.json",
        R"({"seconds": 9.5, "batches": 3, "batches_issued": 2, "rss_bytes": 1000})");
  }};
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);
  EXPECT_EQ(runner.activity(5).waiting, 3U);
  EXPECT_FALSE(runner.wait_any_for(1.5).has_value());
  const sweep::RunnerActivity activity = runner.activity(1);

  EXPECT_EQ(activity.waiting, 1U);
  EXPECT_EQ(activity.queue, "Slurm array 1: 2 running, 1 pending (Resources), 0 ended");
  ASSERT_EQ(activity.running.size(), 2U);
  EXPECT_EQ(activity.running[0].job.cell, 1U);
  EXPECT_EQ(activity.running[0].seconds, 9.5);
  EXPECT_EQ(activity.running[0].rss_bytes, 1000U);
  ASSERT_TRUE(activity.running[0].progress.has_value());
  EXPECT_EQ(activity.running[0].progress->batches_issued, 2U);
  EXPECT_EQ(activity.running[1].seconds, std::nullopt);
}

TEST_F(SlurmProgress, AsksSlurmNoMoreOftenWhereItIsWatched) {
  SlurmCellRunner runner(slurm_, options());
  start_all(runner);
  for (int look = 0; look < 7; ++look) EXPECT_FALSE(runner.wait_any_for(0.125).has_value());
  EXPECT_EQ(slurm_.calls_of("squeue").size(), 1U);
  slurm_.complete_all("1");
  const std::optional<sweep::CellResult> ended = runner.wait_any_for(0.125);

  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(slurm_.now, 1.0);
  EXPECT_EQ(slurm_.calls_of("squeue").size(), 2U);
}

}  // namespace
}  // namespace runahead::slurm
