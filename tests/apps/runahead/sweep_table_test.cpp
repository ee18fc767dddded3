#include "apps/runahead/sweep_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace runahead::apps {
namespace {

using sweep::CellSummary;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SweepTable, ShowsAxesStatusAndFigures) {
  const CellSummary summary{.axes = {{"/sync/policy", "none"}, {"/data/batch_size", 256}},
                            .status = "ok",
                            .issue_seconds = spread_of({0.26}),
                            .total_seconds = spread_of({12.2}),
                            .rss_growth_bytes = spread_of({215e6}),
                            .batches_peak = spread_of({100}),
                            .held_peak_bytes = spread_of({209'715'200}),
                            .loss_last = spread_of({0.00412345})};

  EXPECT_EQ(sweep_table({summary}),
            "sync/policy  data/batch_size  status  issue s  total s  RSS growth MB  "
            "batches in flight  held MB  final loss\n"
            "-----------  ---------------  ------  -------  -------  -------------  "
            "-----------------  -------  ----------\n"
            "none         256              ok        0.260   12.200          215.0  "
            "              100    209.7  0.00412345\n");
}

TEST(SweepTable, ShowsTheRangeOverRepeats) {
  const CellSummary summary{.status = "ok", .total_seconds = spread_of({2.0, 1.0, 4.0})};

  EXPECT_THAT(sweep_table({summary}), HasSubstr("2.000 (1.000 to 4.000)"));
}

TEST(SweepTable, ShowsWhatWasNotMeasuredAsADash) {
  const CellSummary summary{.status = "crashed"};

  EXPECT_THAT(sweep_table({summary}), HasSubstr("crashed        -        -"));
}

TEST(SweepTable, HasAColumnForAnAxisThatOnlySomeCellsHave) {
  EXPECT_THAT(sweep_table({{.axes = {{"/seed", 1}}, .status = "ok"},
                           {.axes = {{"/batches", 7}}, .status = "ok"}}),
              AllOf(HasSubstr("seed  batches  status"), HasSubstr("\n1     -        ok"),
                    HasSubstr("\n-     7        ok")));
}

/// The tables of a sweep over these axes, in which every run ended ok after 2 s.
std::string tables_of(const Json& axes) {
  const sweep::Plan plan = sweep::make_plan(
      config::read_sweep({{"base", {{"experiment", "train"}}}, {"axes", axes}}, "test", "."),
      "test");
  sweep::SweepResult result;
  result.runs.assign(plan.cells.size(), {sweep::RunFigures{.total_seconds = 2.0}});
  return sweep_tables(plan, result);
}

Json seeds(int count) { return {{"range", {{"from", 1}, {"to", count}}}}; }

TEST(SweepTables, AreOneOfTheCellsWhereOneAxisVaries) {
  const std::string text = tables_of({{"/seed", seeds(3)}, {"/loss", {"l1"}}});

  EXPECT_THAT(text, HasSubstr("seed  loss  status"));
  EXPECT_THAT(text, Not(HasSubstr("axis")));
}

TEST(SweepTables, SumUpEachValueOfEachAxisWhereSeveralVary) {
  const std::string text = tables_of({{"/seed", seeds(2)}, {"/loss", {"l1", "l2"}}});

  EXPECT_THAT(text, AllOf(HasSubstr("seed  loss  status"), HasSubstr("\naxis  value  status"),
                          HasSubstr("\nseed  1      ok"), HasSubstr("\nloss  l2     ok")));
}

TEST(SweepTables, LeaveOutWhatIsTooLongToRead) {
  const std::string text = tables_of({{"/seed", seeds(101)}, {"/loss", {"l1", "l2"}}});

  EXPECT_THAT(text, AllOf(Not(HasSubstr("seed  loss")), HasSubstr("\nloss  l1     ok"),
                          HasSubstr("seed has 101 values, which are too many"),
                          HasSubstr("202 cells are too many to list here")));
}

TEST(DescribeAxes, IsOneLine) {
  EXPECT_EQ(describe_axes({{"/sync/policy", "none"}, {"/acpu/limit", {{"operations", 4}}}}),
            R"(sync/policy=none acpu/limit={"operations":4})");
}

}  // namespace
}  // namespace runahead::apps
