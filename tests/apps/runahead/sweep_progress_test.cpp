#include "apps/runahead/sweep_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "core/base/text.h"
#include "core/sweep/sweep_fixtures.h"

namespace runahead::apps {
namespace {

using ::testing::ElementsAre;

class SweepProgressTest : public ::testing::Test {
 protected:
  static sweep::RunningCell running(std::size_t cell, double seconds) {
    return {.job = {.cell = cell, .repeat = 1}, .seconds = seconds};
  }

  sweep::CellResult ended(record::Status status) const {
    sweep::CellResult result{.job = {.cell = 2, .repeat = 1},
                             .record = sweep::test::record_of(plan_.cells[2], 1, status)};
    result.record.cell.wall_seconds = 3.5;
    return result;
  }

  const sweep::Plan plan_ = sweep::test::plan_of_seeds(4, 2);
  const sweep::SweepProgress progress_{.done = 3, .total = 8};
};

TEST_F(SweepProgressTest, ShowsTheSweepAndEachCellThatRuns) {
  sweep::SweepState state{.progress = {.done = 3, .not_ok = 1, .total = 8}, .seconds_left = 89.2};
  state.activity.running = {running(1, 12.9), running(3, 0.5)};
  state.activity.running[0].rss_bytes = 512'000'000;
  state.activity.running[0].progress =
      record::CellProgress{.batches = 100, .batches_issued = 60, .batches_finished = 21};
  state.activity.running[1].progress = record::CellProgress{};  // Of a kind without batches.

  EXPECT_THAT(status_lines(plan_, state, 80, 5),
              ElementsAre("3/8 done, 2 running, 1 not ok, about 90 s left",
                          "  seed=1  repeat 1  12 s  issued 60/100  finished 21/100  RSS 512 MB",
                          "  seed=3  repeat 1  0 s"));
}

TEST_F(SweepProgressTest, ShowsAHandfulOfCellsWithWhatIsKnownAndTheQueueOfACluster) {
  sweep::SweepState state{.progress = progress_};
  EXPECT_THAT(status_lines(plan_, state, 80, 5), ElementsAre("3/8 done, 0 running"));
  state.activity = {
      .running = {{.job = {.cell = 1, .repeat = 0}}, running(0, 3.0), running(2, 1.0)},
      .waiting = 4,
      .queue = "Slurm array 12: 1 running, 4 pending (Resources), 3 ended"};

  EXPECT_THAT(status_lines(plan_, state, 80, 2),
              ElementsAre("3/8 done, 3 running, 4 waiting",
                          "Slurm array 12: 1 running, 4 pending (Resources), 3 ended",
                          "  seed=1  repeat 0", "  seed=0  repeat 1  3 s", "  and 1 more"));
}

TEST_F(SweepProgressTest, StaysNarrowerThanTheTerminalAndCutsTheNameOfACellFirst) {
  sweep::SweepState state{.progress = progress_, .seconds_left = 10.0};
  state.activity.running = {running(1, 12.0)};
  state.activity.running[0].rss_bytes = 512'000'000;
  for (const std::size_t columns : {0U, 1U, 7U, 20U, 31U}) {
    for (const std::string& line : status_lines(plan_, state, columns, 5)) {
      EXPECT_LE(character_count(line), columns == 0 ? 0U : columns - 1) << line;
    }
  }
  EXPECT_EQ(status_lines(plan_, {.progress = progress_, .activity = state.activity}, 34, 5).back(),
            "  seed=1  repe…  12 s  RSS 512 MB");
}

TEST_F(SweepProgressTest, ScrollsWhatHasEndedAboveWhatChangesInPlace) {
  std::ostringstream out;
  {
    SweepProgressView view({.out = &out, .columns = [] { return 80; }}, plan_);
    sweep::SweepSettings settings;
    view.attend(settings);
    EXPECT_LE(settings.look_seconds, 0.5);
    settings.on_look({.progress = progress_});
    settings.on_end(ended(record::Status::kOk), progress_);
  }

  EXPECT_EQ(out.str(),
            "\r\033[J3/8 done, 0 running\r"
            "\r\033[J[3/8] ok  seed=2  repeat 1  3.50 s\n3/8 done, 0 running\r"
            "\r\033[J");
}

TEST_F(SweepProgressTest, ReportsTheStateInOneLineToALogWhereThatIsWanted) {
  std::ostringstream out;
  SweepProgressView view({.out = &out, .writes_status = true}, plan_);
  sweep::SweepSettings settings;
  view.attend(settings);
  sweep::SweepState state{.progress = progress_};
  settings.on_look(state);
  state.activity.running = {running(1, 12.0), running(2, 10.0)};
  settings.on_look(state);

  EXPECT_EQ(settings.look_seconds, 10.0);
  EXPECT_EQ(out.str(), "3/8 done, 0 running\n3/8 done, 2 running; seed=1  repeat 1  12 s\n");
}

}  // namespace
}  // namespace runahead::apps
