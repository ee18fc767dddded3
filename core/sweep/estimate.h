#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "core/config/sweep_config.h"
#include "core/record/status.h"
#include "core/sweep/earlier_runs.h"
#include "core/sweep/plan.h"

namespace runahead::sweep {

/// What a sweep will take. nullopt: there is nothing to tell it from.
struct Estimate {
  std::size_t runs = 0;                              ///< That have not ended yet.
  std::optional<double> seconds{};                   ///< If they take as long as those before them.
  std::optional<double> most_seconds{};              ///< If each takes its whole timeout.
  std::optional<std::uint64_t> most_memory_bytes{};  ///< If each that runs at once takes its limit.
};

/// @param runs         Runs that have not ended yet.
/// @param jobs         Of them, how many run at once.
/// @param run_seconds  What one took until now; nullopt: none has ended.
[[nodiscard]] Estimate estimate(const config::SweepConfig& sweep, std::size_t runs, int jobs,
                                std::optional<double> run_seconds);

/// The same, from what earlier sweeps left: a run takes what those that ended ok took in the
/// median; all that were measured, if none did.
/// @param retry  As SweepSettings has it.
[[nodiscard]] Estimate estimate(const config::SweepConfig& sweep, const Plan& plan,
                                const EarlierRuns& earlier, const std::set<record::Status>& retry,
                                int jobs);

}  // namespace runahead::sweep
