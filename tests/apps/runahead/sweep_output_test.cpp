#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "apps/runahead/json_list.h"
#include "apps/runahead/sweep_dry_run.h"
#include "apps/runahead/sweep_table.h"

namespace runahead::apps {
namespace {

using sweep::CellSummary;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A cell with these values of the table's figures, which are named; the others were not measured.
CellSummary summary_of(const Json& axes, const std::string& status,
                       const std::map<std::string, std::vector<double>>& values) {
  CellSummary summary{.axes = axes, .status = status};
  for (const record::Figure& figure : sweep::sweep_figures()) {
    const auto found = values.find(figure.name);
    summary.figures.push_back(found == values.end() ? std::nullopt : spread_of(found->second));
  }
  return summary;
}

TEST(SweepTable, ShowsAxesStatusAndFiguresWithTheirUnits) {
  const CellSummary summary =
      summary_of({{"/sync/policy", "none"}, {"/data/batch_size", 256}}, "ok",
                 {{"issue_seconds", {0.26}},
                  {"total_seconds", {2.0, 1.0, 4.0}},
                  {"rss_growth_bytes", {215e6}},
                  {"batches_peak", {1000}},
                  {"loss_last", {0.00412345}}});

  EXPECT_EQ(sweep_table({summary}),
            "sync/policy  data/batch_size  states  issue time                 total time  "
            "RSS growth  peak batches in flight  final loss\n"
            "-----------  ---------------  ------  ----------  -------------------------  "
            "----------  ----------------------  ----------\n"
            "none         256              ok          260 ms  2.00 s (1.00 s to 4.00 s)  "
            "    215 MB                   1,000     0.00412\n");
}

TEST(SweepTable, ColoursStatesOnATerminal) {
  const auto table = [](const std::string& states) {
    return sweep_table({summary_of({{"/seed", 1}}, states, {})}, true);
  };
  EXPECT_THAT(table("ok"), HasSubstr("\n1     \033[32mok    \033[0m"));
  EXPECT_THAT(table("2 ok, 1 crashed"), HasSubstr("\033[31m2 ok, 1 crashed\033[0m"));
  EXPECT_THAT(table("2 ok, 1 skipped"), HasSubstr("\033[33m2 ok, 1 skipped\033[0m"));
  EXPECT_THAT(table("not run"), HasSubstr("\033[33mnot run\033[0m"));
}

TEST(SweepTable, HasAColumnForAnAxisThatOnlySomeCellsHave) {
  EXPECT_THAT(
      sweep_table({summary_of({{"/seed", 1}}, "ok", {}), summary_of({{"/batches", 7}}, "ok", {})}),
      AllOf(HasSubstr("seed  batches  states"), HasSubstr("\n1              ok"),
            HasSubstr("\n      7        ok")));
}

/// The tables of a sweep over these axes, in which every run ended ok.
std::string tables_of(const Json& axes) {
  const sweep::Plan plan = sweep::make_plan(
      config::read_sweep({{"base", {{"experiment", "train"}}}, {"axes", axes}}, "test", "."),
      "test");
  sweep::SweepResult result;
  result.runs.assign(plan.cells.size(), {sweep::RunFigures{}});
  return sweep_tables(plan, result);
}

Json seeds(int count) { return {{"range", {{"from", 1}, {"to", count}}}}; }

TEST(SweepTables, AreOneOfTheCellsWhereOneAxisVaries) {
  const std::string text = tables_of({{"/seed", seeds(3)}, {"/loss", {"l1"}}});

  EXPECT_THAT(text, HasSubstr("seed  loss  states"));
  EXPECT_THAT(text, Not(HasSubstr("axis")));
}

TEST(SweepTables, SumUpEachValueOfEachAxisWhereSeveralVary) {
  const std::string text = tables_of({{"/seed", seeds(2)}, {"/loss", {"l1", "l2"}}});

  EXPECT_THAT(text, AllOf(HasSubstr("seed  loss  states"), HasSubstr("\naxis  value  states"),
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

TEST(AxisValues, ReachATerminalWithoutControlCharacters) {
  const Json axes = {{"/data/path", "a\033[31m\tb.npy"}};
  EXPECT_EQ(describe_axes(axes), "data/path=a?[31m?b.npy");
  EXPECT_THAT(sweep_table({summary_of(axes, "ok", {})}), HasSubstr("\na?[31m?b.npy  ok"));
}

TEST(SweepDryRun, ReportsWhatIsKnownOfWhatASweepTakes) {
  EXPECT_EQ(
      describe(sweep::Estimate{
          .runs = 6, .seconds = 90.0, .most_seconds = 9000.0, .most_memory_bytes = 16'000'000'000}),
      "6 runs left: about 90 s; at most 2.50 h, because of the timeout; at most 16.0 GB of memory "
      "at once");
  EXPECT_EQ(describe(sweep::Estimate{.runs = 6}),
            "6 runs left: no time estimate until one run has ended; no timeout set");
  EXPECT_EQ(describe(sweep::Estimate{}), "0 runs left: nothing to do");
  EXPECT_EQ(describe(sweep::Estimate{.runs = 1, .seconds = 0.25, .most_seconds = 180.0}),
            "1 run left: about 0.25 s; at most 180 s, because of the timeout");
}

TEST(JsonList, IsOneDocumentWithAndWithoutElements) {
  for (const Json& squares : {Json::array(), Json::array({0, 1, 4})}) {
    std::ostringstream out;
    print_with_list(out, {{"a \"name\"", 1}}, "squares", squares.size(),
                    [](std::size_t index) { return index * index; });
    EXPECT_EQ(parse_json(out.str(), "printed"), Json({{"a \"name\"", 1}, {"squares", squares}}));
  }
}

}  // namespace
}  // namespace runahead::apps
