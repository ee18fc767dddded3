#include "core/sweep/summary.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

namespace runahead::sweep {

namespace {

using Runs = std::vector<std::optional<RunFigures>>;

std::string describe_statuses(const Runs& runs) {
  std::map<record::Status, std::size_t> count_of;
  std::size_t not_run = 0;
  for (const auto& run : runs) {
    if (run) {
      ++count_of[run->status];
    } else {
      ++not_run;
    }
  }
  if (count_of.empty()) return "not run";
  if (count_of.size() == 1 && not_run == 0) return std::string(name_of(count_of.begin()->first));
  std::string text;
  for (const auto& [status, count] : count_of) {
    if (!text.empty()) text += ", ";
    text += std::to_string(count) + " " + std::string(name_of(status));
  }
  if (not_run > 0) text += ", " + std::to_string(not_run) + " not run";
  return text;
}

Runs runs_that_count(const Runs& runs) {
  Runs ok;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(ok),
               [](const auto& run) { return run && run->status == record::Status::kOk; });
  return ok.empty() ? runs : ok;
}

std::vector<std::optional<Spread>> spreads_over(const Runs& runs) {
  std::vector<std::optional<Spread>> spreads;
  for (std::size_t figure = 0; figure < sweep_figures().size(); ++figure) {
    std::vector<double> values;
    for (const auto& run : runs) {
      if (run && figure < run->values.size() && run->values[figure]) {
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
          .figures = spreads_over(runs_that_count(all_runs))};
}

/// The axes of all cells, in the order in which they come.
std::vector<std::string> axes_of(const PlannedCells& cells) {
  std::vector<std::string> pointers;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const Json axes = cells.axes(cell);
    for (const auto& axis : axes.items()) {
      if (std::find(pointers.begin(), pointers.end(), axis.key()) == pointers.end()) {
        pointers.push_back(axis.key());
      }
    }
  }
  return pointers;
}

/// The runs of the cells that have each value of an axis.
std::vector<std::pair<Json, Runs>> runs_by_value(const std::string& pointer, const Plan& plan,
                                                 const SweepResult& result) {
  std::vector<std::pair<Json, Runs>> values;
  std::unordered_map<std::string, std::size_t> place_of;  // By the value's text.
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    const Json axes = plan.cells.axes(cell);
    const auto value = axes.find(pointer);
    if (value == axes.end()) continue;
    const auto [place, is_new] = place_of.emplace(dump_json(*value), values.size());
    if (is_new) values.emplace_back(*value, Runs{});
    Runs& runs = values[place->second].second;
    runs.insert(runs.end(), result.runs[cell].begin(), result.runs[cell].end());
  }
  return values;
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
    const auto values = runs_by_value(pointer, plan, result);
    if (values.size() < 2) continue;
    AxisSummary summary{.pointer = pointer};
    for (const auto& [value, runs] : values) {
      summary.values.push_back(summary_of({{pointer, value}}, runs));
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

}  // namespace runahead::sweep
