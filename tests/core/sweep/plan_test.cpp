#include "core/sweep/plan.h"

#include <gtest/gtest.h>

#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

TEST(Plan, IsTheProductOfTheAxesInTheirOrder) {
  const config::SweepConfig sweep =
      config::read_sweep(Json::parse(R"({"base": {"experiment": "train"},
                      "axes": {"/sync/policy": ["none", "every_batch"], "/batches": [10, 20]}})"),
                         "test", ".");

  const Plan plan = make_plan(sweep, "test");

  ASSERT_EQ(plan.cells.size(), 4U);
  EXPECT_EQ(plan.cells[1].axes.dump(), R"({"/sync/policy":"none","/batches":20})");
  EXPECT_EQ(plan.cells[1].config.batches, 20);
  EXPECT_EQ(plan.cells[2].axes.dump(), R"({"/sync/policy":"every_batch","/batches":10})");
}

TEST(Plan, InterleavesRepeats) {
  const Plan plan = test::plan_of_seeds(2, 3);

  ASSERT_EQ(plan.jobs.size(), 6U);
  for (std::size_t index = 0; index < plan.jobs.size(); ++index) {
    EXPECT_EQ(plan.jobs[index].cell, index % 2);
    EXPECT_EQ(plan.jobs[index].repeat, static_cast<std::int64_t>(index / 2));
  }
}

TEST(Plan, TakesTheIdOfTheResolvedConfig) {
  const Plan plan = test::plan_of_seeds(2, 1);

  EXPECT_EQ(plan.cells[1].id, config::config_id(plan.cells[1].config));
  EXPECT_NE(plan.cells[0].id, plan.cells[1].id);
}

TEST(Plan, NamesFoldersByShortIdAndRepeat) {
  const Plan plan = test::plan_of_seeds(1, 1);

  EXPECT_EQ(folder_name(plan.cells[0], 3), plan.cells[0].id.substr(0, 12) + "-3");
}

}  // namespace
}  // namespace runahead::sweep
