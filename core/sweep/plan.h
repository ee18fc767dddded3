#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/config/sweep_config.h"

namespace runahead::sweep {

/// One combination of the axes' values.
struct Cell {
  std::string id{};                   ///< config::config_id of `config`.
  Json axes = Json::object();         ///< JSON pointer to value, in the order of the axes.
  config::ExperimentConfig config{};  ///< Resolved.
};

/// One run of one cell.
struct CellJob {
  std::size_t cell = 0;  ///< Index in Plan::cells.
  std::int64_t repeat = 0;
};

/// What a sweep will run, and in which order.
struct Plan {
  std::vector<Cell> cells{};    ///< The cartesian product of the axes; the last one varies fastest.
  std::int64_t repeats = 1;     ///< Runs of each cell.
  std::vector<CellJob> jobs{};  ///< Repeat 0 of every cell, then repeat 1, …: slow drifts of the
                                ///< machine meet all cells alike.
};

/// Resolves every cell: what is wrong with one is found before any runs.
/// @throws ConfigError naming the axes' values of a cell that is wrong, that this version cannot
///         run, or that is the same experiment as another: their records could not be told apart.
[[nodiscard]] Plan make_plan(const config::SweepConfig& sweep, const std::string& source);

/// The folder of a run's files below `cells/`: the first 12 digits of its id, and the repeat.
[[nodiscard]] std::string folder_name(const Cell& cell, std::int64_t repeat);

}  // namespace runahead::sweep
