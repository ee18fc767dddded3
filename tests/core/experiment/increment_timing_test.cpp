// The fit of t1, t2 and t3 to times that the formulas gave, and what it predicts.
#include "core/experiment/increment_timing.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/config/experiment_config.h"

namespace runahead::experiment {
namespace {

struct Costs {
  double t1 = 0.0;
  double t2 = 0.0;
  double t3 = 0.0;
};

/// As the formulas have it; without busy_seconds.
IncrementRun run_of(const Costs& costs, std::int64_t operations) {
  const auto n = static_cast<double>(operations);
  const double slower = std::max(costs.t1, costs.t2);
  return {.operations = operations,
          .waited_each_seconds = n * (costs.t1 + costs.t2 + costs.t3),
          .waited_once_seconds = costs.t1 + costs.t2 + costs.t3 + (n - 1) * slower,
          .issue_seconds = n * costs.t1};
}

void expect_costs(const train::BatchCost& fitted, const Costs& costs) {
  EXPECT_NEAR(fitted.t1_seconds, costs.t1, 1e-9);
  EXPECT_NEAR(fitted.t2_seconds, costs.t2, 1e-9);
  EXPECT_NEAR(fitted.t3_seconds, costs.t3, 1e-9);
}

constexpr Costs kSlowBackEnd{.t1 = 1.0, .t2 = 3.0, .t3 = 2.0};

TEST(IncrementFit, FindsTheCostsWhereTheBackEndIsSlowerOrReportsWhatItTook) {
  const Costs fast{.t1 = 3.0, .t2 = 1.0, .t3 = 2.0};
  std::vector<IncrementRun> runs{run_of(fast, 10), run_of(fast, 50)};
  for (IncrementRun& run : runs) run.busy_seconds = static_cast<double>(run.operations) * fast.t2;

  expect_costs(fit_increments({run_of(kSlowBackEnd, 10), run_of(kSlowBackEnd, 50)}), kSlowBackEnd);
  expect_costs(fit_increments(runs), fast);
}

TEST(IncrementFit, IsNotMovedByRunsThatWereSlowedDown) {
  IncrementRun slowed = run_of(kSlowBackEnd, 50);
  slowed.waited_once_seconds *= 2.0;
  slowed.waited_each_seconds *= 2.0;
  slowed.issue_seconds *= 5.0;
  const IncrementRun fast = run_of(kSlowBackEnd, 50);

  expect_costs(fit_increments({run_of(kSlowBackEnd, 10), slowed, slowed, fast, slowed}),
               kSlowBackEnd);
}

TEST(IncrementJson, HoldsTheLeastTimesAgainstThePrediction) {
  const train::BatchCost cost =
      fit_increments({run_of(kSlowBackEnd, 10), run_of(kSlowBackEnd, 50)});
  IncrementRun slow_each = run_of(kSlowBackEnd, 1000);
  slow_each.waited_each_seconds *= 1.5;
  IncrementRun slow_once = run_of(kSlowBackEnd, 1000);
  slow_once.waited_once_seconds *= 1.5;
  slow_once.waited_each_seconds *= 0.9;

  const Json found = to_json({slow_each, slow_once, slow_each}, cost);

  EXPECT_EQ(found["operations"], 1000);
  EXPECT_EQ(found["waited_once_seconds"]["count"], 3);
  EXPECT_NEAR(found["error_each"].get<double>(), -0.1, 1e-9);
  EXPECT_NEAR(found["error_once"].get<double>(), 0.0, 1e-9);
  EXPECT_THROW(static_cast<void>(to_json(std::vector<IncrementRun>{}, cost)), UsageError);
}

}  // namespace
}  // namespace runahead::experiment
