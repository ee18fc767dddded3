#include "apps/runahead/slurm_launch.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "apps/runahead/programs.h"
#include "core/slurm/array_script.h"
#include "core/slurm/process_submit_host.h"
#include "core/slurm/slurm_cell_runner.h"

namespace runahead::apps {

namespace {

/// A runner and the host that it uses.
class LocalSlurmRunner final : public sweep::CellRunner {
 public:
  LocalSlurmRunner(const std::filesystem::path& log_folder, slurm::SlurmOptions options)
      : host_(log_folder), runner_(host_, std::move(options)) {}

  void start(const sweep::Cell& cell, const sweep::CellJob& job) override {
    runner_.start(cell, job);
  }
  [[nodiscard]] sweep::CellResult wait_any() override { return runner_.wait_any(); }
  [[nodiscard]] std::optional<sweep::CellResult> wait_any_for(double seconds) override {
    return runner_.wait_any_for(seconds);
  }
  [[nodiscard]] sweep::RunnerActivity activity(std::size_t detailed) override {
    return runner_.activity(detailed);
  }
  void finish() override { runner_.finish(); }
  [[nodiscard]] bool interrupted() override { return runner_.interrupted(); }

 private:
  slurm::ProcessSubmitHost host_;
  slurm::SlurmCellRunner runner_;
};

}  // namespace

slurm::ArraySettings slurm_settings(const std::filesystem::path& folder,
                                    const std::filesystem::path& cell_program,
                                    const config::SweepConfig& config,
                                    const SlurmChoices& choices) {
  slurm::require_folder_for_slurm(folder);
  for (const std::string& option : choices.sbatch_options) slurm::require_sbatch_option(option);
  slurm::ArraySettings settings{.folder = folder,
                                .runahead = own_program(),
                                .cell_program = cell_program,
                                .at_once = choices.jobs};
  // One at a time, the config's default, is for one machine.
  if (!settings.at_once && config.jobs > 1) settings.at_once = config.jobs;
  settings.needs.timeout_seconds = config.timeout_seconds;
  settings.needs.memory_limit_bytes = config.memory_limit_bytes;
  settings.needs.options = choices.sbatch_options;
  return settings;
}

std::string slurm_script(const slurm::ArraySettings& settings, const sweep::Plan& plan) {
  const auto tasks = std::clamp<std::int64_t>(static_cast<std::int64_t>(plan.jobs.size()), 1,
                                              slurm::kMaxArrayTasks);
  slurm::TaskNeeds needs = settings.needs;
  for (const sweep::CellJob& job : plan.jobs) {
    if (job.repeat > 0) continue;
    needs.cpus = std::max(needs.cpus, slurm::cpus_of(plan.cells[job.cell].config));
  }
  return slurm::text_of({.name = "runahead",
                         .runahead = settings.runahead,
                         .cell_program = settings.cell_program,
                         .folder = slurm::arrays_folder(settings.folder) / "0001",
                         .tasks = tasks,
                         .at_once = settings.at_once,
                         .needs = needs});
}

std::unique_ptr<sweep::CellRunner> make_slurm_runner(const slurm::ArraySettings& settings,
                                                     bool takes_over, bool tells) {
  slurm::SlurmOptions options{.array = settings, .takes_over = takes_over};
  if (tells) options.tell = [](const std::string& line) { std::cerr << line << std::endl; };
  return std::make_unique<LocalSlurmRunner>(slurm::arrays_folder(settings.folder) / "commands",
                                            std::move(options));
}

}  // namespace runahead::apps
