// What whoever watches a sweep is told of its arrays.

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

class SlurmProgressTest : public test::RunnerTest {};

TEST_F(SlurmProgressTest, TellsTheStatesWhenTheyChange) {
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

TEST_F(SlurmProgressTest, TellsWhatRunsAndWhatWaits) {
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

TEST_F(SlurmProgressTest, AsksSlurmNoMoreOftenWhereItIsWatched) {
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
