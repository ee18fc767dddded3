#include "core/sweep/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/base/error.h"
#include "support/error_message.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// The plan of a sweep of the default experiment with these keys besides `base`.
Plan plan_of(const std::string& keys) {
  const std::string text = R"({"base": {"experiment": "train"}, )" + keys + "}";
  return make_plan(config::read_sweep(parse_json(text, "sweep.json"), "sweep.json", "."),
                   "sweep.json");
}

Plan plan_of_axes(const std::string& axes) { return plan_of("\"axes\": " + axes); }

/// Why the one cell of a plan that cannot run is skipped.
std::string reason_of_axes(const std::string& axes, const std::string& cell) {
  const Plan plan = plan_of_axes(axes);
  EXPECT_EQ(plan.skipped.size(), 1U);
  EXPECT_EQ(plan.cells.axes(plan.skipped.at(0)).dump(), cell);
  EXPECT_EQ(plan.jobs.size(), plan.cells.size() - 1);
  return plan.cells.reason(plan.skipped.at(0));
}

TEST(Plan, SkipsACellThatIsWrongAndSaysWhy) {
  EXPECT_THAT(reason_of_axes(R"({"/data/batch_size": [4, 0]})", R"({"/data/batch_size":0})"),
              ::testing::StartsWith("/data/batch_size: found 0; allowed"));
  EXPECT_THAT(reason_of_axes(R"({"/sync/policy": ["every_batch", "none"], "/sync/wait": ["all"]})",
                             R"({"/sync/policy":"none","/sync/wait":"all"})"),
              ::testing::StartsWith("/sync/wait: this key belongs to policy \"every_batch\""));
  EXPECT_THAT(
      reason_of_axes(
          R"({"/data/prefetch": [0, 64], "/cuda/copies": ["side_reuse"], "/device": ["cuda"]})",
          R"({"/data/prefetch":64,"/cuda/copies":"side_reuse","/device":"cuda"})"),
      HasSubstr("/data/prefetch: found 64"));
}

TEST(Plan, BoundsTheReasonOfACell) {
  const std::string key = "/" + std::string(2000, 'x');
  const Plan plan = plan_of(R"("cells": [{"/seed": 1}, {")" + key + R"(": 1}])");

  ASSERT_EQ(plan.skipped.size(), 1U);
  EXPECT_EQ(plan.cells.reason(1), key.substr(0, 1000) + "…");
}

TEST(Plan, DistinguishesTheCellsThatItSkips) {
  const Plan plan = plan_of_axes(R"({"/batches": [0, 5, -1]})");

  ASSERT_EQ(plan.skipped.size(), 2U);
  EXPECT_EQ(plan.skipped[1], 2U);
  EXPECT_EQ(plan.cells.reason(1), "") << "it can run";
  EXPECT_NE(plan.cells.id(0), plan.cells.id(2));
  EXPECT_EQ(plan.cells.id(0).size(), plan.cells.id(1).size());
  EXPECT_EQ(plan.cells.document(2)["batches"], -1);
  EXPECT_EQ(plan.run_count(), 3U);
}

TEST(Plan, KeepsTheBaseAsTheDocumentOfACellThatHasNoPlaceInIt) {
  const Plan plan = plan_of(R"("cells": [{"/seed": 1}, {"/experiment/x": 1}])");

  ASSERT_EQ(plan.skipped.size(), 1U);
  EXPECT_EQ(plan.cells.document(1).dump(), R"({"experiment":"train"})");
}

TEST(Plan, NamesEveryCellThatCannotRunIfAllMustRun) {
  const std::string message = runahead::test::error_message<ConfigError>(
      [] { require_all_run(plan_of_axes(R"({"/batches": [0, 5, -1]})"), "sweep.json"); });

  EXPECT_THAT(message, AllOf(HasSubstr(R"(sweep.json: cell {"/batches":0}: /batches: found 0)"),
                             HasSubstr(R"(sweep.json: cell {"/batches":-1}: /batches: found -1)")));
  EXPECT_NO_THROW(require_all_run(plan_of_axes(R"({"/batches": [5]})"), "sweep.json"));
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
