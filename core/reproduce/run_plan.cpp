#include "core/reproduce/run_plan.h"

#include <algorithm>

#include "core/config/experiment_config.h"

namespace runahead::reproduce {
namespace {

sweep::Cell cell_of(const PlannedRun& run, const std::string& device, const PlanOptions& options) {
  std::vector<std::string> sets = run.sets;
  sets.push_back("/device=" + device);
  if (options.is_quick) sets.insert(sets.end(), run.quick_sets.begin(), run.quick_sets.end());
  if (device == "cuda") sets.insert(sets.end(), run.cuda_sets.begin(), run.cuda_sets.end());
  return sweep::cell_of(config::load_experiment(options.configs / run.config, sets));
}

bool is_made_on(const PlannedRun& run, const std::string& device) {
  return std::ranges::find(run.devices, device) != run.devices.end();
}

}  // namespace

std::vector<ReproduceJob> make_run_plan(const PlanOptions& options) {
  std::vector<ReproduceJob> once;
  std::int64_t most_processes = 1;
  std::vector<std::int64_t> processes;
  for (const PlannedRun& run : planned_runs()) {
    for (const std::string& device : options.devices) {
      if (!is_made_on(run, device)) continue;
      ReproduceJob job{.run = run.name,
                       .device = device,
                       .cell = cell_of(run, device, options),
                       .python = run.python};
      if (!options.experiment.empty() && job.cell.config.experiment != options.experiment) continue;
      once.push_back(std::move(job));
      processes.push_back(run.processes);
      most_processes = std::max(most_processes, processes.back());
    }
  }
  std::vector<ReproduceJob> jobs;
  for (std::int64_t process = 0; process < most_processes; ++process) {
    for (std::size_t i = 0; i < once.size(); ++i) {
      if (process >= processes[i]) continue;
      jobs.push_back(once[i]);
      jobs.back().process = process;
    }
  }
  return jobs;
}

}  // namespace runahead::reproduce
