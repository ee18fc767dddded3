#include "core/sweep/summary.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string_view>

#include "sweep_fixtures.h"

namespace runahead::sweep {
namespace {

using record::Status;

RunFigures run_of(Status status, std::optional<double> total_seconds) {
  RunFigures run{.status = status};
  for (const record::Figure& figure : sweep_figures()) {
    const bool is_total = std::string_view(figure.name) == "total_seconds";
    run.values.push_back(is_total ? total_seconds : std::nullopt);
  }
  return run;
}

/// The total time of a summary.
std::optional<Spread> total_if_any(const CellSummary& summary) {
  for (std::size_t index = 0; index < sweep_figures().size(); ++index) {
    if (std::string_view(sweep_figures()[index].name) == "total_seconds") {
      return summary.figures.at(index);
    }
  }
  throw std::logic_error("no total time");
}

Spread total_of(const CellSummary& summary) { return total_if_any(summary).value(); }

TEST(Summary, IsThatOfTheTable) {
  const Plan plan = test::plan_of_seeds(1, 3);
  const auto ok = [](double seconds) { return run_of(Status::kOk, seconds); };
  const auto timed_out = [](auto seconds) { return run_of(Status::kTimedOut, seconds); };
  struct Row {
    std::vector<std::optional<RunFigures>> runs;
    const char* status;
    std::optional<double> median;
    std::size_t count;
  };
  const std::vector<Row> rows{
      {{ok(3.0), ok(1.0), ok(2.0)}, "ok", 2.0, 3},
      {{ok(3.0), run_of(Status::kCrashed, 1.0), {}}, "1 ok, 1 crashed, 1 not run", 3.0, 1},
      {{timed_out(3.0), timed_out(std::nullopt), timed_out(5.0)}, "timed_out", std::nullopt, 0},
      {{{}, {}, {}}, "not run", std::nullopt, 0},
  };
  for (const Row& row : rows) {
    const CellSummary summary = summarise(plan, {.runs = {row.runs}}).front();
    EXPECT_EQ(summary.status, row.status);
    EXPECT_EQ(summary.axes, plan.cells.front().axes);
    EXPECT_FALSE(summary.figures.front().has_value());
    EXPECT_EQ(total_if_any(summary).has_value(), row.median.has_value());
    if (!row.median) continue;
    EXPECT_EQ(total_of(summary).median, row.median);
    EXPECT_EQ(total_of(summary).count, row.count);
  }
}

}  // namespace
}  // namespace runahead::sweep
