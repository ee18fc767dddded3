#include "core/experiment/increment_timing.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/statistics.h"
#include "core/experiment/host_work.h"
#include "core/experiment/stopwatch.h"

namespace runahead::experiment {
namespace {

/// Execution is the bottleneck if an operation takes this many times as long as its issue.
constexpr double kClearlyLonger = 1.1;

/// The shortest times among runs of one number of operations, since other load on the machine can
/// only add to them. Issuing and busy times are of the run with the shortest waited_once_seconds.
IncrementRun least_of(const std::vector<IncrementRun>& runs) {
  IncrementRun least = *std::ranges::min_element(runs, {}, &IncrementRun::waited_once_seconds);
  least.waited_each_seconds = std::ranges::min(times_of(runs, &IncrementRun::waited_each_seconds));
  return least;
}

/// One run for each number of operations, with the shortest times.
std::vector<IncrementRun> least_runs(const std::vector<IncrementRun>& runs) {
  std::map<std::int64_t, std::vector<IncrementRun>> by_operations;
  for (const IncrementRun& run : runs) by_operations[run.operations].push_back(run);
  std::vector<IncrementRun> least;
  for (const auto& [operations, same] : by_operations) least.push_back(least_of(same));
  return least;
}

/// A time per operation: the median over the numbers.
double seconds_per_operation(const std::vector<IncrementRun>& runs, double IncrementRun::*time) {
  std::vector<double> each;
  for (const IncrementRun& run : runs) {
    each.push_back(run.*time / static_cast<double>(run.operations));
  }
  return median(each);
}

/// The time of one more operation without waits, max(t1, t2). In a run the first operation takes
/// `waited`, and each further one this time. The median over the numbers.
double seconds_per_further_operation(const std::vector<IncrementRun>& runs, double waited) {
  std::vector<double> further;
  for (const IncrementRun& run : runs) {
    if (run.operations < 2) continue;
    further.push_back((run.waited_once_seconds - waited) / static_cast<double>(run.operations - 1));
  }
  return median(further);
}

/// nullopt if unknown.
std::optional<double> busy_seconds_per_operation(const std::vector<IncrementRun>& runs) {
  std::vector<double> each;
  for (const IncrementRun& run : runs) {
    if (!run.busy_seconds) return std::nullopt;
    each.push_back(*run.busy_seconds / static_cast<double>(run.operations));
  }
  return median(each);
}

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

std::vector<double> times_of(const std::vector<IncrementRun>& runs, double IncrementRun::*time) {
  std::vector<double> times;
  for (const IncrementRun& run : runs) times.push_back(run.*time);
  return times;
}

IncrementRun time_increments(DeviceSession& device, const IncrementProgram& program,
                             std::int64_t operations) {
  train::BackEnd& back_end = device.back_end();
  IncrementRun run{.operations = operations};

  const Stopwatch each;
  torch::Tensor y = program.x;
  for (std::int64_t i = 0; i < operations; ++i) {
    work_for(program.seconds_per_increment);
    y = (program.is_chained ? y : program.x) + 1;
    back_end.wait_until_computed(y);
  }
  run.waited_each_seconds = each.seconds();

  const std::optional<double> busy_before = device.busy_seconds(Clock::now());
  const Stopwatch once;
  y = program.x;
  for (std::int64_t i = 0; i < operations; ++i) {
    work_for(program.seconds_per_increment);
    y = (program.is_chained ? y : program.x) + 1;
  }
  run.issue_seconds = once.seconds();
  back_end.synchronize();
  run.waited_once_seconds = once.seconds();
  if (busy_before) run.busy_seconds = *device.busy_seconds(Clock::now()) - *busy_before;
  return run;
}

train::BatchCost fit_increments(const std::vector<IncrementRun>& runs) {
  const std::vector<IncrementRun> least = least_runs(runs);
  RUNAHEAD_REQUIRE(least.size() > 1, "a fit needs runs of two different numbers of operations");
  const double t1 = seconds_per_operation(least, &IncrementRun::issue_seconds);
  const double each = seconds_per_operation(least, &IncrementRun::waited_each_seconds);
  const double once = seconds_per_further_operation(least, each);
  const double rest = std::max(each - t1, 0.0);
  const double hidden = std::min(busy_seconds_per_operation(least).value_or(rest), t1);
  const double t2 = once > kClearlyLonger * t1 ? once : hidden;
  return {.t1_seconds = t1,
          .t2_seconds = t2,
          .t3_seconds = std::max(rest - t2, 0.0),
          .t1_before_seconds = t1,
          .t2_result_seconds = t2};
}

Json to_json(const train::BatchCost& cost) {
  const bool is_front_end = train::bottleneck(cost) == train::Bottleneck::kFrontEnd;
  return {{"t1_seconds", cost.t1_seconds},
          {"t2_seconds", cost.t2_seconds},
          {"t3_seconds", cost.t3_seconds},
          {"bottleneck", is_front_end ? "front_end" : "back_end"}};
}

Json to_json(const std::vector<IncrementRun>& runs, const train::BatchCost& cost) {
  RUNAHEAD_REQUIRE(!runs.empty(), "there must be a run");
  const IncrementRun least = least_of(runs);
  const double predicted_each =
      train::predicted_total_seconds(cost, {.batches_per_wait = 1}, least.operations);
  const double predicted_once = train::predicted_total_seconds(cost, {}, least.operations);
  const auto spread_json = [&runs](double IncrementRun::*time) {
    return runahead::to_json(spread_of(times_of(runs, time)));
  };
  return {{"operations", least.operations},
          {"waited_each_seconds", spread_json(&IncrementRun::waited_each_seconds)},
          {"waited_once_seconds", spread_json(&IncrementRun::waited_once_seconds)},
          {"issue_seconds", spread_json(&IncrementRun::issue_seconds)},
          {"predicted_each_seconds", predicted_each},
          {"predicted_once_seconds", predicted_once},
          {"error_each", least.waited_each_seconds / predicted_each - 1.0},
          {"error_once", least.waited_once_seconds / predicted_once - 1.0}};
}

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
