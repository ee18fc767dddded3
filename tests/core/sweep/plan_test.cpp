#include "core/sweep/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "support/error_message.h"
#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

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

/// The error for a sweep over these axes of the default experiment.
std::string error_of_axes(const std::string& axes) {
  return runahead::test::error_message<ConfigError>([&] {
    const Json document = {{"base", {{"experiment", "train"}}}, {"axes", Json::parse(axes)}};
    static_cast<void>(make_plan(config::read_sweep(document, "sweep.json", "."), "sweep.json"));
  });
}

TEST(Plan, NamesAWrongCellByItsValues) {
  EXPECT_THAT(error_of_axes(R"({"/sync/policy": ["every_batch", "none"], "/sync/wait": ["all"]})"),
              AllOf(HasSubstr(R"(sweep.json, cell {"/sync/policy":"none","/sync/wait":"all"}: )"),
                    HasSubstr("/sync/wait: not a key of policy \"none\"")));
  EXPECT_THAT(error_of_axes(R"({"/data/batch_size": [4, 0]})"),
              AllOf(HasSubstr(R"(cell {"/data/batch_size":0})"), HasSubstr("found 0; allowed")));
  EXPECT_THAT(error_of_axes(R"({"/dat/batch_size": [4]})"), HasSubstr("nearest known: \"data\""));
  EXPECT_THAT(error_of_axes(R"({"/seed/x": [4], "/batches": [1]})"), HasSubstr("/seed"));
}

TEST(Plan, RefusesACellThatThisVersionCannotRun) {
  EXPECT_THAT(error_of_axes(R"({"/device": ["cuda"], "/cuda/staging": ["pageable", "pinned"]})"),
              AllOf(HasSubstr(R"(cell {"/device":"cuda","/cuda/staging":"pinned"})"),
                    HasSubstr("cannot run yet")));
}

TEST(Plan, RefusesTwoCellsThatAreTheSame) {
  EXPECT_THAT(error_of_axes(R"({"/batches": [10, 20, 1e1]})"),
              AllOf(HasSubstr("are the same experiment"), HasSubstr("use \"repeats\"")));
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
