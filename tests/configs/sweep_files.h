#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/config/experiment_config.h"
#include "core/config/sweep_config.h"
#include "core/config/sweep_grid.h"

namespace runahead::config {

/// The project's folder of configs.
inline std::filesystem::path configs_folder() {
  return std::filesystem::path(RUNAHEAD_SOURCE_FOLDER) / "configs";
}

/// The sweep of that name in it.
inline SweepConfig load(const std::string& name) { return load_sweep(configs_folder() / name); }

/// The experiment of each of its cells, in their order: the grid's, then those listed next to it.
inline std::vector<ExperimentConfig> cells_of(const std::string& name) {
  const SweepConfig sweep = load(name);
  std::vector<ExperimentConfig> cells;
  for (std::size_t index = 0; index < combination_count(sweep); ++index) {
    if (is_excluded(sweep, index)) continue;
    cells.push_back(resolve_cell(sweep.base, axes_values(sweep, index), name));
  }
  return cells;
}

/// The configs in one of its folders, by name.
inline std::vector<std::filesystem::path> config_files(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(configs_folder() / folder)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  return paths;
}

}  // namespace runahead::config
