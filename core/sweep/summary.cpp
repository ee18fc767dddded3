#include "core/sweep/summary.h"

#include <algorithm>
#include <iterator>
#include <map>
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

CellSummary summary_of(Json axes, const Runs& all_runs, const Runs& compared) {
  return {.axes = std::move(axes),
          .status = describe_statuses(all_runs),
          .figures = spreads_over(compared)};
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

bool has_ok(const Runs& runs) {
  return std::ranges::any_of(
      runs, [](const auto& run) { return run && run->status == record::Status::kOk; });
}

/// The axes whose values the value of one axis settles: itself, and those that `zip` joins to it.
std::vector<std::string> joined_axes(const std::vector<std::vector<std::size_t>>& values,
                                     const PlannedCells& cells) {
  std::vector<std::string> pointers = axes_of(cells);
  for (const std::vector<std::size_t>& of_value : values) {
    const Json first = cells.axes(of_value.front());
    for (const std::size_t cell : of_value) {
      const Json axes = cells.axes(cell);
      std::erase_if(pointers, [&](const std::string& pointer) {
        return axes.value(pointer, Json()) != first.value(pointer, Json());
      });
    }
  }
  return pointers;
}

/// Removes the cells whose figures do not compare the values, as AxisSummary says.
std::vector<std::vector<std::size_t>> comparable(std::vector<std::vector<std::size_t>> values,
                                                 const PlannedCells& cells,
                                                 const SweepResult& result) {
  const std::vector<std::string> joined = joined_axes(values, cells);
  const auto others_of = [&](std::size_t cell) {
    Json axes = cells.axes(cell);
    for (const std::string& pointer : joined) axes.erase(pointer);
    return dump_json(axes);
  };
  struct Counts {
    std::size_t planned = 0;
    std::size_t ok = 0;
  };
  std::map<std::string, Counts> counts_of;  // By the other axes.
  std::size_t ok_values = 0;
  for (const std::vector<std::size_t>& of_value : values) {
    bool has_any = false;
    for (const std::size_t cell : of_value) {
      Counts& counts = counts_of[others_of(cell)];
      const bool is_ok = has_ok(result.runs[cell]);
      ++counts.planned;
      counts.ok += is_ok ? 1 : 0;
      has_any = has_any || is_ok;
    }
    ok_values += has_any ? 1 : 0;
  }
  const auto is_crossed = [&](const auto& one) { return one.second.planned >= values.size(); };
  if (std::ranges::none_of(counts_of, is_crossed)) return values;
  for (std::vector<std::size_t>& of_value : values) {
    std::erase_if(of_value,
                  [&](std::size_t cell) { return counts_of[others_of(cell)].ok < ok_values; });
  }
  return values;
}

}  // namespace

CellSummary summarise(const Plan& plan, const SweepResult& result, std::size_t cell) {
  return summary_of(plan.cells.axes(cell), result.runs[cell], result.runs[cell]);
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
    const auto compared = comparable(values, plan.cells, result);
    AxisSummary summary{.pointer = pointer};
    for (std::size_t value = 0; value < values.size(); ++value) {
      summary.values.push_back(
          summary_of({{pointer, plan.cells.axes(values[value].front())[pointer]}},
                     runs_of(values[value], result), runs_of(compared[value], result)));
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

}  // namespace runahead::sweep
