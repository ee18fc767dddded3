#pragma once

#include <compare>
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

/// A cell of that config on its own, without axes.
[[nodiscard]] Cell cell_of(config::ExperimentConfig config);

/// One run of one cell.
struct CellJob {
  std::size_t cell = 0;  ///< Index in Plan::cells.
  std::int64_t repeat = 0;

  friend auto operator<=>(const CellJob&, const CellJob&) = default;
};

/// The cells of a sweep. Only their ids are kept: 100,000 cells take some 15 MB.
class PlannedCells {
 public:
  PlannedCells() = default;
  explicit PlannedCells(config::SweepConfig sweep) : sweep_(std::move(sweep)) {}

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  /// The cell, resolved again in 45 µs. @throws ConfigError for some of Plan::skipped.
  [[nodiscard]] Cell operator[](std::size_t index) const;
  [[nodiscard]] Cell front() const { return (*this)[0]; }

  /// config::config_id of its config, or a hash of its values if the cell cannot be resolved.
  [[nodiscard]] const std::string& id(std::size_t index) const { return entries_.at(index).id; }
  [[nodiscard]] Json axes(std::size_t index) const;
  /// The config as written, even if the cell cannot be resolved.
  [[nodiscard]] Json document(std::size_t index) const;
  /// Why the cell cannot run, on one line of at most 1,000 bytes; empty if it can. Resolves the
  /// cell again.
  [[nodiscard]] std::string reason(std::size_t index) const;

  /// @param combination  The cell's index among config::axes_values.
  void add(std::size_t combination, std::string id);

 private:
  struct Entry {
    std::size_t combination = 0;
    std::string id{};
  };

  config::SweepConfig sweep_{};
  std::vector<Entry> entries_{};
};

/// What a sweep will run, and in what order.
struct Plan {
  PlannedCells cells{};             ///< The grid, the last axis varying fastest, then `cells`.
  std::int64_t repeats = 1;         ///< Runs of each cell.
  bool needs_cell_program = false;  ///< Whether a cell is of a kind that runs in `runahead-cell`.
  bool runs_commands = false;       ///< Whether a cell is of the kind that runs a user's command.
  std::vector<CellJob> jobs{};      ///< As config::RunOrder says; without skipped cells.
  /// Indices in `cells`, ascending, of those that cannot run. They are recorded as skipped, with
  /// their PlannedCells::reason, and the others run.
  std::vector<std::size_t> skipped{};

  /// Number of runs, including those of skipped cells.
  [[nodiscard]] std::size_t run_count() const {
    return jobs.size() + skipped.size() * static_cast<std::size_t>(repeats);
  }
};

/// Resolves every cell, so that errors in one are found before any runs.
/// @throws ConfigError if no cell can run, or if two cells are the same experiment, because their
///         records could not be distinguished.
[[nodiscard]] Plan make_plan(const config::SweepConfig& sweep, const std::string& source);

/// @throws ConfigError naming the axes' values of each cell that cannot run, and what is wrong.
void require_all_run(const Plan& plan, const std::string& source);

/// The first 12 digits of an id, which suffice for people and folder names.
[[nodiscard]] std::string short_id(const std::string& id);

/// The folder of a run's files below `cells/`: the short_id of its cell, and the repeat.
[[nodiscard]] std::string folder_name(const Cell& cell, std::int64_t repeat);

}  // namespace runahead::sweep
