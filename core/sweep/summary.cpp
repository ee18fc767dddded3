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

/// The cells that share a value of an axis.
struct ValueCells {
  Json value{};
  std::vector<std::size_t> cells{};
};

/// The values of one axis, in the order in which they come.
struct AxisCells {
  std::string pointer{};
  std::vector<ValueCells> values{};
  std::unordered_map<std::string, std::size_t> place_of_value{};  ///< By its text.

  void add(const Json& value, std::size_t cell) {
    const auto [place, is_new] = place_of_value.emplace(dump_json(value), values.size());
    if (is_new) values.push_back({.value = value});
    values[place->second].cells.push_back(cell);
  }
};

std::vector<AxisCells> cells_by_axis(const PlannedCells& cells) {
  std::vector<AxisCells> axes;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const Json values = cells.axes(cell);
    for (const auto& [key, value] : values.items()) {
      const std::string& pointer = key;
      auto axis = std::find_if(axes.begin(), axes.end(),
                               [&](const AxisCells& one) { return one.pointer == pointer; });
      if (axis == axes.end()) {
        axes.push_back({.pointer = pointer});
        axis = std::prev(axes.end());
      }
      axis->add(value, cell);
    }
  }
  return axes;
}

Runs runs_of(const std::vector<std::size_t>& cells, const SweepResult& result) {
  Runs runs;
  for (const std::size_t cell : cells) {
    runs.insert(runs.end(), result.runs[cell].begin(), result.runs[cell].end());
  }
  return runs;
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
  for (const AxisCells& axis : cells_by_axis(plan.cells)) {
    if (axis.values.size() < 2) continue;
    AxisSummary summary{.pointer = axis.pointer};
    for (const ValueCells& value : axis.values) {
      summary.values.push_back(
          summary_of({{axis.pointer, value.value}}, runs_of(value.cells, result)));
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

}  // namespace runahead::sweep
