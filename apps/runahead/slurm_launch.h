#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/sweep_config.h"
#include "core/slurm/array_draft.h"
#include "core/sweep/cell_runner.h"
#include "core/sweep/plan.h"

namespace runahead::apps {

/// What the command line says of Slurm.
struct SlurmChoices {
  std::optional<int> jobs{};                  ///< Cells at once; nullopt: the config's if above 1.
  std::vector<std::string> sbatch_options{};  ///< "--partition=gpu".
};

/// What the arrays of a sweep are submitted with. `folder`, of the sweep, is absolute.
/// @throws ConfigError for an option that is not the user's to give, and for a folder that Slurm
///         cannot take.
[[nodiscard]] slurm::ArraySettings slurm_settings(const std::filesystem::path& folder,
                                                  const std::filesystem::path& cell_program,
                                                  const config::SweepConfig& config,
                                                  const SlurmChoices& choices);

/// The script of the first array of a sweep, as it would be submitted if nothing had run yet, with
/// the CPUs of the plan's hungriest cell; Slurm is not asked.
[[nodiscard]] std::string slurm_script(const slurm::ArraySettings& settings,
                                       const sweep::Plan& plan);

/// Runs cells through Slurm, from this machine. @param takes_over  Whether the arrays of earlier
/// sweeps of the folder count (SlurmOptions). @param tells  Whether the states of the tasks go to
/// stderr when they change. @throws UnavailableError if there is no Slurm that answers.
[[nodiscard]] std::unique_ptr<sweep::CellRunner> make_slurm_runner(
    const slurm::ArraySettings& settings, bool takes_over, bool tells);

}  // namespace runahead::apps
