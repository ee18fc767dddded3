#include "core/sweep/summary.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/base/grouped.h"
#include "core/report/finding.h"

namespace runahead::sweep {

namespace {

using Runs = std::vector<std::optional<RunFigures>>;

std::string describe_statuses(const Runs& runs) {
  std::vector<std::string> names;
  for (const auto& run : runs) names.push_back(run ? std::string(name_of(run->status)) : "not run");
  const auto other = std::ranges::adjacent_find(names, std::not_equal_to());
  return other == names.end() ? names.at(0) : report::tally(names);
}

/// Of the runs that ended ok.
std::vector<std::optional<Spread>> spreads_over(const Runs& runs) {
  std::vector<std::optional<Spread>> spreads;
  for (std::size_t figure = 0; figure < sweep_figures().size(); ++figure) {
    std::vector<double> values;
    for (const auto& run : runs) {
      if (run && run->status == record::Status::kOk && figure < run->values.size() &&
          run->values[figure]) {
        values.push_back(*run->values[figure]);
      }
    }
    spreads.push_back(spread_of(values));
  }
  return spreads;
}

CellSummary summary_of(Json axes, const Runs& all_runs) {
  return {.axes = std::move(axes),
          .status = describe_statuses(all_runs),
          .figures = spreads_over(all_runs)};
}

/// The axes of all cells, in the order in which they first occur.
std::vector<std::string> axes_of(const PlannedCells& cells) {
  std::vector<std::string> pointers;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const Json axes = cells.axes(cell);
    for (const auto& axis : axes.items()) {
      if (std::ranges::find(pointers, axis.key()) == pointers.end()) {
        pointers.push_back(axis.key());
      }
    }
  }
  return pointers;
}

Runs runs_of(const std::vector<std::size_t>& cells, const SweepResult& result) {
  Runs runs;
  for (const std::size_t cell : cells) {
    runs.insert(runs.end(), result.runs[cell].begin(), result.runs[cell].end());
  }
  return runs;
}

/// The cells that have each value of an axis.
std::vector<std::vector<std::size_t>> cells_by_value(const std::string& pointer,
                                                     const PlannedCells& cells) {
  std::vector<std::size_t> found;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    if (cells.axes(cell).contains(pointer)) found.push_back(cell);
  }
  return grouped(found, [&](std::size_t cell) { return dump_json(cells.axes(cell)[pointer]); });
}

}  // namespace

CellSummary summarise(const Plan& plan, const SweepResult& result, std::size_t cell) {
  return summary_of(plan.cells.axes(cell), result.runs[cell]);
}

std::vector<CellSummary> summarise(const Plan& plan, const SweepResult& result) {
  std::vector<CellSummary> summaries;
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    summaries.push_back(summarise(plan, result, cell));
  }
  return summaries;
}

std::vector<AxisSummary> summarise_axes(const Plan& plan, const SweepResult& result) {
  std::vector<AxisSummary> summaries;
  for (const std::string& pointer : axes_of(plan.cells)) {
    const auto values = cells_by_value(pointer, plan.cells);
    if (values.size() < 2) continue;
    AxisSummary summary{.pointer = pointer};
    for (const std::vector<std::size_t>& cells : values) {
      summary.values.push_back(
          summary_of({{pointer, plan.cells.axes(cells.front())[pointer]}}, runs_of(cells, result)));
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

}  // namespace runahead::sweep
