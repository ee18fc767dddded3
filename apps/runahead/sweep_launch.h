#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/sweep_config.h"
#include "core/slurm/slurm_cell_runner.h"
#include "core/sweep/cell_runner.h"
#include "core/sweep/plan.h"

namespace runahead::apps {

/// The command line of `sweep`.
struct SweepOptions {
  std::string config{};
  std::vector<std::string> sets{};
  std::string out{};
  std::optional<int> jobs{};  ///< nullopt for the config's value.
  std::string launcher = "local";
  std::string shard{};  ///< "I/N"; empty for the whole sweep.
  std::vector<std::string> sbatch{};
  std::vector<std::string> retry{};
  std::vector<std::string> fail_if{};
  bool extend = false;
  bool fresh = false;
  bool dry_run = false;
  bool json = false;
  bool progress = false;
};

/// Where and how the cells of a sweep run.
struct Launch {
  std::filesystem::path cell_program{};
  std::optional<slurm::SlurmOptions> slurm{};  ///< nullopt if cells are children of this process.
  int at_once = 1;                             ///< Maximum number of concurrent cells.
};

/// Maximum number of cells that this machine runs at once: what is asked for, but no more than
/// there are runs, so that these share the CPUs among themselves alone.
[[nodiscard]] int local_jobs(const SweepOptions& options, const config::SweepConfig& config,
                             const sweep::Plan& plan);

/// How the sweep runs, with results in `folder`. Throws before anything is written.
/// @throws UnavailableError if a program is missing; ConfigError for more jobs than this process
///         may have, for an sbatch option that the launcher sets itself, or for a folder whose name
///         Slurm cannot handle.
[[nodiscard]] Launch launch_of(const SweepOptions& options, const config::SweepConfig& config,
                               const sweep::Plan& plan, const std::filesystem::path& folder);

/// The runner that `launch` describes. @param cells_folder  For the files of cells that are
/// children of this process.
[[nodiscard]] std::unique_ptr<sweep::CellRunner> make_runner(
    const SweepOptions& options, const Launch& launch, const config::SweepConfig& config,
    const sweep::Plan& plan, const std::filesystem::path& cells_folder);

}  // namespace runahead::apps
