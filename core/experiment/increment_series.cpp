#include "core/experiment/increment_series.h"

#include <utility>

#include "core/base/error.h"

namespace runahead::experiment {
namespace {

using Runs = std::vector<IncrementRun>;

Runs time_each(DeviceSession& device, const IncrementProgram& program,
               const std::vector<std::int64_t>& numbers) {
  Runs runs;
  for (const std::int64_t operations : numbers) {
    runs.push_back(time_increments(device, program, operations));
  }
  return runs;
}

}  // namespace

IncrementSeries::IncrementSeries(std::vector<std::int64_t> fitted,
                                 std::vector<std::int64_t> predicted)
    : fitted_(std::move(fitted)), predicted_(std::move(predicted)), runs_(predicted_.size()) {
  RUNAHEAD_REQUIRE(fitted_.size() >= 2 && !predicted_.empty(),
                   "a series needs two numbers to fit and one to predict");
}

void IncrementSeries::measure(DeviceSession& device, const IncrementProgram& program) {
  const std::vector<IncrementRun> fitted = time_each(device, program, fitted_);
  const std::vector<IncrementRun> predicted = time_each(device, program, predicted_);
  const std::lock_guard lock(mutex_);
  fitted_runs_.insert(fitted_runs_.end(), fitted.begin(), fitted.end());
  for (std::size_t i = 0; i < predicted.size(); ++i) runs_[i].push_back(predicted[i]);
}

void IncrementSeries::clear() {
  const std::lock_guard lock(mutex_);
  fitted_runs_.clear();
  for (std::vector<IncrementRun>& runs : runs_) runs.clear();
}

std::optional<train::BatchCost> IncrementSeries::cost() const {
  const std::lock_guard lock(mutex_);
  if (fitted_runs_.empty()) return std::nullopt;
  return fit_increments(fitted_runs_);
}

std::vector<std::vector<IncrementRun>> IncrementSeries::runs() const {
  const std::lock_guard lock(mutex_);
  return runs_;
}

Json IncrementSeries::to_json() const {
  const std::lock_guard lock(mutex_);
  if (fitted_runs_.empty()) return nullptr;
  const train::BatchCost cost = fit_increments(fitted_runs_);
  Json document = experiment::to_json(cost);
  document["runs"] = Json::array();
  for (const Runs& runs : runs_) document["runs"].push_back(experiment::to_json(runs, cost));
  return document;
}

}  // namespace runahead::experiment
