#include "core/sweep/estimate.h"

#include <gtest/gtest.h>

#include <set>

#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

/// Three cells run twice; of the first repeat two have ended, one of them badly.
EarlierRuns some_runs(const Plan& plan) {
  EarlierRuns earlier;
  earlier.runs.assign(plan.cells.size(), {std::nullopt, std::nullopt});
  earlier.runs[0][0] = RunFigures{.status = record::Status::kOk, .wall_seconds = 4.0};
  earlier.runs[1][0] = RunFigures{.status = record::Status::kFailed, .wall_seconds = 1.0};
  earlier.runs[2][0] = RunFigures{.status = record::Status::kInterrupted, .wall_seconds = 2.0};
  return earlier;
}

TEST(Estimate, TakesTheRunsThatEndedOkForMeasureElseWhatThereIs) {
  const Plan plan = test::plan_of_seeds(3, 2);
  EarlierRuns earlier = some_runs(plan);
  const auto found = [&](const std::set<record::Status>& retry, int jobs) {
    return estimate(config::SweepConfig{}, plan, earlier, retry, jobs);
  };

  EXPECT_EQ(found({}, 2).runs, 4U);
  EXPECT_EQ(found({}, 2).seconds, 2 * 4.0);
  EXPECT_EQ(found({record::Status::kFailed}, 1).runs, 5U);
  earlier.runs[0][0] = std::nullopt;
  EXPECT_EQ(found({}, 1).seconds, 5 * 1.5);
}

/// Cells that have run for so long.
RunnerActivity running_for(const std::vector<std::optional<double>>& seconds) {
  RunnerActivity activity;
  for (const auto& cell : seconds) activity.running.push_back({.seconds = cell});
  return activity;
}

TEST(SecondsLeft, AreThoseOfTheTable) {
  RunnerActivity on_a_cluster = running_for({std::nullopt, std::nullopt});
  on_a_cluster.waiting = 8;
  RunnerActivity waiting;
  waiting.waiting = 8;
  struct Row {
    const char* what;
    std::size_t runs;
    int jobs;
    RunnerActivity activity;
    std::optional<double> seconds;  ///< Where a run usually takes 10 s.
  };
  const std::vector<Row> rows{
      {"nothing has begun", 4, 1, running_for({}), 40.0},
      {"what has begun counts", 4, 1, running_for({6.0}), 34.0},
      {"runs at once share it", 4, 2, running_for({6.0, 2.0}), 16.0},
      {"no less than the last run takes", 2, 2, running_for({9.0, 1.0}), 9.0},
      {"no less than the only run takes", 1, 8, running_for({4.0}), 6.0},
      {"longer than usual", 1, 1, running_for({15.0}), std::nullopt},
      {"the one after it", 2, 1, running_for({15.0}), 10.0},
      {"a cluster runs as many as now", 10, 10, on_a_cluster, 45.0},
      {"a cluster runs none now", 10, 10, waiting, std::nullopt},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(seconds_left(row.runs, row.jobs, 10.0, row.activity), row.seconds) << row.what;
  }
}

}  // namespace
}  // namespace runahead::sweep
