#include "core/sweep/estimate.h"

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/base/statistics.h"
#include "core/sweep/sweep.h"

namespace runahead::sweep {

namespace {

/// The median wall time of the runs that were measured, or only of those that ended ok.
std::optional<double> median_seconds(
    const std::vector<std::vector<std::optional<RunFigures>>>& runs, bool only_ok) {
  std::vector<double> seconds;
  for (const auto& repeats : runs) {
    for (const auto& run : repeats) {
      if (!run || !run->wall_seconds || (only_ok && run->status != record::Status::kOk)) continue;
      seconds.push_back(*run->wall_seconds);
    }
  }
  return seconds.empty() ? std::nullopt : std::optional(median(seconds));
}

}  // namespace

std::optional<double> usual_seconds(
    const std::vector<std::vector<std::optional<RunFigures>>>& runs) {
  const std::optional<double> of_ok = median_seconds(runs, /*only_ok=*/true);
  return of_ok ? of_ok : median_seconds(runs, /*only_ok=*/false);
}

std::optional<double> seconds_left(std::size_t runs_left, int jobs, double run_seconds,
                                   const RunnerActivity& activity) {
  constexpr double kUnknownShare = 0.5;  // Of a run whose start is unknown.
  const std::size_t most_at_once =
      activity.waiting > 0 ? activity.running.size() : static_cast<std::size_t>(jobs);
  const std::size_t at_once = std::min(most_at_once, runs_left);
  if (at_once == 0) return std::nullopt;
  double work_seconds = run_seconds * static_cast<double>(runs_left);
  double longest_seconds = 0.0;
  for (const RunningCell& cell : activity.running) {
    const double spent_seconds = cell.seconds.value_or(kUnknownShare * run_seconds);
    work_seconds -= std::min(spent_seconds, run_seconds);
    longest_seconds = std::max(longest_seconds, run_seconds - spent_seconds);
  }
  const double seconds = std::max(work_seconds / static_cast<double>(at_once), longest_seconds);
  return seconds > 0.0 ? std::optional(seconds) : std::nullopt;
}

Estimate estimate(const config::SweepConfig& sweep, const Plan& plan, const EarlierRuns& earlier,
                  const std::set<record::Status>& retry, int jobs) {
  RUNAHEAD_REQUIRE(jobs >= 1, "no run can run at once");
  const auto runs = static_cast<std::size_t>(std::ranges::count_if(plan.jobs, [&](CellJob job) {
    return !has_ended(earlier.runs[job.cell][static_cast<std::size_t>(job.repeat)], retry);
  }));
  const std::size_t at_once = std::min(runs, static_cast<std::size_t>(jobs));
  const std::size_t rounds = at_once == 0 ? 0 : (runs + at_once - 1) / at_once;
  const auto in_rounds = [rounds](std::optional<double> seconds) {
    return seconds ? std::optional(*seconds * static_cast<double>(rounds)) : std::nullopt;
  };
  Estimate found{.runs = runs,
                 .seconds = in_rounds(usual_seconds(earlier.runs)),
                 .most_seconds = in_rounds(sweep.timeout_seconds)};
  if (sweep.memory_limit_bytes) found.most_memory_bytes = *sweep.memory_limit_bytes * at_once;
  return found;
}

}  // namespace runahead::sweep
