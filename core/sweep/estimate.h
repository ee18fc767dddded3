#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/config/sweep_config.h"

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

}  // namespace runahead::sweep
