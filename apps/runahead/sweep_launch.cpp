#include "apps/runahead/sweep_launch.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "apps/runahead/programs.h"
#include "core/base/terminal.h"
#include "core/slurm/process_submit_host.h"
#include "core/sweep/open_file_limit.h"
#include "core/sweep/process_cell_runner.h"

namespace runahead::apps {

namespace fs = std::filesystem;

namespace {

bool is_on_a_terminal() { return terminal_columns(STDERR_FILENO).has_value(); }

bool shows_progress(const SweepOptions& options) { return options.progress || is_on_a_terminal(); }

/// The period with which cells write their progress, longer in a folder that shards share; nullopt
/// if they do not.
std::optional<double> progress_seconds(const SweepOptions& options) {
  if (!shows_progress(options)) return std::nullopt;
  return options.shard.empty() ? 0.5 : 2.0;
}

slurm::SlurmOptions slurm_options(const SweepOptions& options, const config::SweepConfig& config,
                                  const fs::path& folder, const fs::path& cell_program) {
  slurm::require_folder_for_slurm(folder);
  for (const std::string& option : options.sbatch) slurm::require_sbatch_option(option);
  slurm::SlurmOptions slurm{.folder = folder,
                            .runahead = own_program(),
                            .cell_program = cell_program,
                            .sweep = config::to_json(config),
                            .needs = {.timeout_seconds = config.timeout_seconds,
                                      .memory_limit_bytes = config.memory_limit_bytes,
                                      .options = options.sbatch},
                            .at_once = options.jobs,
                            .retry = options.retry,
                            .shows_progress = shows_progress(options),
                            .takes_over = !options.fresh};
  // The config's default of one cell at a time is meant for one machine.
  if (!slurm.at_once && config.jobs > 1) slurm.at_once = config.jobs;
  // On a terminal, the lines that are updated in place show the states.
  if (options.progress && !is_on_a_terminal()) {
    slurm.report = [](const std::string& line) { std::cerr << line << '\n'; };
  }
  return slurm;
}

}  // namespace

int local_jobs(const SweepOptions& options, const config::SweepConfig& config,
               const sweep::Plan& plan) {
  const int runs = std::max(static_cast<int>(plan.jobs.size()), 1);
  return std::min(options.jobs.value_or(config.jobs), runs);
}

Launch launch_of(const SweepOptions& options, const config::SweepConfig& config,
                 const sweep::Plan& plan, const fs::path& folder) {
  Launch launch{.cell_program = plan.needs_cell_program ? find_cell_program() : fs::path(),
                .at_once = local_jobs(options, config, plan)};
  if (options.launcher == "slurm") {
    launch.slurm = slurm_options(options, config, folder, launch.cell_program);
    launch.at_once =
        static_cast<int>(plan.jobs.size());  // All, because the array's throttle bounds them.
  } else {
    sweep::raise_open_file_limit(launch.at_once);
  }
  return launch;
}

std::unique_ptr<sweep::CellRunner> make_runner(const SweepOptions& options, const Launch& launch,
                                               const config::SweepConfig& config,
                                               const sweep::Plan& plan,
                                               const fs::path& cells_folder) {
  if (launch.slurm) {
    const fs::path log_folder = launch.slurm->folder / "slurm" / "commands";
    return slurm::make_slurm_cell_runner(std::make_shared<slurm::ProcessSubmitHost>(log_folder),
                                         *launch.slurm, plan);
  }
  return sweep::make_process_cell_runner(
      {.program = launch.cell_program,
       .command_program = own_program(),
       .cells_folder = cells_folder,
       .timeout_seconds = config.timeout_seconds,
       .memory_limit_bytes = config.memory_limit_bytes,
       .jobs = launch.at_once,
       // A run that a scheduler ends is the scheduler's to repeat.
       .max_attempts = options.shard.empty() ? 2 : 1,
       .progress_seconds = progress_seconds(options)});
}

}  // namespace runahead::apps
