#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace runahead::record {

/// How a sweep ran the cell. Everything is nullopt if the run was not part of a sweep.
struct CellFigures {
  std::optional<std::int64_t> attempts{};  ///< More than 1 if it was killed from outside before.
  std::optional<double> wall_seconds{};    ///< Of the last attempt, including its start.
  std::optional<std::uint64_t>
      rss_peak_bytes{};                    ///< Of the process tree; only with a memory limit.
  std::optional<std::int64_t> slot{};      ///< Index among the concurrent cells, from 0.
  std::optional<std::vector<int>> cpus{};  ///< CPUs that it was allowed to use.
};

}  // namespace runahead::record
