#include "core/sweep/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

/// The plan of a sweep of the default experiment with these keys besides `base`.
Plan plan_of(const std::string& keys) {
  const std::string text = R"({"base": {"experiment": "train"}, )" + keys + "}";
  return make_plan(config::read_sweep(parse_json(text, "sweep.json"), "sweep.json", "."),
                   "sweep.json");
}

TEST(Plan, BoundsTheReasonOfACell) {
  const std::string key = "/" + std::string(2000, 'x');
  const Plan plan = plan_of(R"("cells": [{"/seed": 1}, {")" + key + R"(": 1}])");

  ASSERT_EQ(plan.skipped.size(), 1U);
  EXPECT_EQ(plan.cells.reason(1), key.substr(0, 1000) + "…");
}

/// The cells of a plan's jobs, repeat by repeat.
std::vector<std::vector<std::size_t>> order_of(const Plan& plan) {
  std::vector<std::vector<std::size_t>> order(static_cast<std::size_t>(plan.repeats));
  for (std::size_t index = 0; index < plan.jobs.size(); ++index) {
    const CellJob& job = plan.jobs[index];
    EXPECT_EQ(static_cast<std::size_t>(job.repeat), index / plan.cells.size());
    order[static_cast<std::size_t>(job.repeat)].push_back(job.cell);
  }
  return order;
}

Plan shuffled_plan(int seed) {
  return plan_of(R"("axes": {"/seed": {"range": {"from": 0, "to": 9}}}, "repeats": 2,
                    "order": "random", "order_seed": )" +
                 std::to_string(seed));
}

TEST(Plan, ShufflesTheCellsOfEachRepeatAlikeForASeed) {
  const auto order = order_of(shuffled_plan(7));

  std::vector<std::size_t> in_order(10);
  std::iota(in_order.begin(), in_order.end(), std::size_t{0});
  for (const auto& cells : order) {
    EXPECT_THAT(cells, ::testing::UnorderedElementsAreArray(in_order));
    EXPECT_NE(cells, in_order);
  }
  EXPECT_NE(order[0], order[1]);
  EXPECT_EQ(order, order_of(shuffled_plan(7)));
  EXPECT_NE(order, order_of(shuffled_plan(8)));
}

TEST(Plan, TakesTheIdOfTheResolvedConfig) {
  const Plan plan = test::plan_of_seeds(2, 1);

  EXPECT_EQ(plan.cells[1].id, config::config_id(plan.cells[1].config));
  EXPECT_NE(plan.cells[0].id, plan.cells[1].id);
  EXPECT_EQ(folder_name(plan.cells[0], 3), plan.cells[0].id.substr(0, 12) + "-3");
}

}  // namespace
}  // namespace runahead::sweep
