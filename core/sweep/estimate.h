#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "core/config/sweep_config.h"
#include "core/record/status.h"
#include "core/sweep/cell_runner.h"
#include "core/sweep/plan.h"
#include "core/sweep/run_figures.h"

namespace runahead::sweep {

/// What a sweep will take. nullopt: there is nothing to estimate it from.
struct Estimate {
  std::size_t runs = 0;                              ///< Runs that have not ended yet.
  std::optional<double> seconds{};                   ///< If they take as long as earlier ones.
  std::optional<double> most_seconds{};              ///< If each takes its whole timeout.
  std::optional<std::uint64_t> most_memory_bytes{};  ///< If all concurrent runs reach their limit.
};

/// How long a run takes: the median wall time of those that ended ok or, if none did, of all that
/// were measured; nullopt if none was. @param runs  [cell][repeat].
[[nodiscard]] std::optional<double> usual_seconds(
    const std::vector<std::vector<std::optional<RunFigures>>>& runs);

/// The time until the remaining runs, including those in progress, have ended, if each takes
/// `run_seconds`. `jobs` of them run at once or, if others wait in a queue, only as many as run
/// now. nullopt: none runs, or all of them have already taken longer.
[[nodiscard]] std::optional<double> seconds_left(std::size_t runs_left, int jobs,
                                                 double run_seconds,
                                                 const RunnerActivity& activity);

/// What the rest of a sweep will take, from what earlier sweeps left; a run takes usual_seconds().
/// @param retry  As SweepSettings::retry.
/// @param jobs   How many runs are in progress at once.
[[nodiscard]] Estimate estimate(const config::SweepConfig& sweep, const Plan& plan,
                                const EarlierRuns& earlier, const std::set<record::Status>& retry,
                                int jobs);

}  // namespace runahead::sweep
