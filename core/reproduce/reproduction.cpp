#include "core/reproduce/reproduction.h"

#include "core/base/error.h"
#include "core/sweep/single_run.h"

namespace runahead::reproduce {
namespace {

/// The other kinds repeat what they time, and sleep.
bool is_timed_once(const config::ExperimentConfig& config) {
  return config.experiment == "train" || config.experiment == "predict";
}

record::Record run_job(const ReproduceJob& job, sweep::CellRunner& runner) {
  const sweep::Cell& cell = job.cell;
  record::Record record = sweep::run_cell(runner, cell, job.process);
  if (is_timed_once(cell.config) && !sweep::had_the_cpu(record, cell.config)) {
    record = sweep::run_cell(runner, cell, job.process);
  }
  return record;
}

}  // namespace

void Reproduction::run(const std::vector<ReproduceJob>& jobs, sweep::CellRunner& runner,
                       const PythonRunner& run_in_python, const OnEnd& on_end) {
  std::size_t done = 0;
  try {
    for (const ReproduceJob& job : jobs) {
      const record::Record record = job.is_in_python ? run_in_python(job) : run_job(job, runner);
      measured_[job.device].add(job.run, record);
      on_end(job, record, ++done, jobs.size());
    }
  } catch (const InterruptedError&) {
    was_interrupted_ = true;
  }
}

std::vector<Verdict> Reproduction::verdicts(const std::vector<Claim>& claims,
                                            const std::string& device) const {
  const auto found = measured_.find(device);
  return judge(claims, device, found != measured_.end() ? found->second : Measured());
}

}  // namespace runahead::reproduce
