#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/config/sweep_config.h"
#include "core/slurm/slurm_cell_runner.h"

namespace runahead::apps {

/// The user's choices for Slurm on the command line.
struct SlurmChoices {
  std::optional<int> jobs{};  ///< --jobs
  std::vector<std::string> sbatch_options{};
};

/// How the sweep `config` runs on a cluster, with results in `folder`.
/// @throws ConfigError for an sbatch option that the launcher sets itself, or for a folder whose
///         name Slurm cannot handle.
[[nodiscard]] slurm::SlurmOptions slurm_options(const std::filesystem::path& folder,
                                                const std::filesystem::path& cell_program,
                                                const config::SweepConfig& config,
                                                const SlurmChoices& choices);

}  // namespace runahead::apps
