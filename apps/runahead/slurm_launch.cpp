#include "apps/runahead/slurm_launch.h"

#include "apps/runahead/programs.h"

namespace runahead::apps {

slurm::SlurmOptions slurm_options(const std::filesystem::path& folder,
                                  const std::filesystem::path& cell_program,
                                  const config::SweepConfig& config, const SlurmChoices& choices) {
  slurm::require_folder_for_slurm(folder);
  for (const std::string& option : choices.sbatch_options) slurm::require_sbatch_option(option);
  slurm::SlurmOptions options{.folder = folder,
                              .runahead = own_program(),
                              .cell_program = cell_program,
                              .sweep = config::to_json(config),
                              .needs = {.timeout_seconds = config.timeout_seconds,
                                        .memory_limit_bytes = config.memory_limit_bytes,
                                        .options = choices.sbatch_options},
                              .at_once = choices.jobs};
  // The config's default of one cell at a time is meant for one machine.
  if (!options.at_once && config.jobs > 1) options.at_once = config.jobs;
  return options;
}

}  // namespace runahead::apps
