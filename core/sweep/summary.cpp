#include "core/sweep/summary.h"

#include <algorithm>
#include <map>

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

std::optional<Spread> spread_over(const Runs& runs, std::optional<double> RunFigures::*figure) {
  std::vector<double> values;
  for (const auto& run : runs) {
    if (run && (*run).*figure) values.push_back(*((*run).*figure));
  }
  return spread_of(values);
}

}  // namespace

CellSummary summarise(const Plan& plan, const SweepResult& result, std::size_t cell) {
  const Runs runs = runs_that_count(result.runs[cell]);
  return {.axes = plan.cells.axes(cell),
          .status = describe_statuses(result.runs[cell]),
          .issue_seconds = spread_over(runs, &RunFigures::issue_seconds),
          .total_seconds = spread_over(runs, &RunFigures::total_seconds),
          .rss_growth_bytes = spread_over(runs, &RunFigures::rss_growth_bytes),
          .batches_peak = spread_over(runs, &RunFigures::batches_peak),
          .held_peak_bytes = spread_over(runs, &RunFigures::held_peak_bytes),
          .loss_last = spread_over(runs, &RunFigures::loss_last)};
}

std::vector<CellSummary> summarise(const Plan& plan, const SweepResult& result) {
  std::vector<CellSummary> summaries;
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    summaries.push_back(summarise(plan, result, cell));
  }
  return summaries;
}

}  // namespace runahead::sweep
