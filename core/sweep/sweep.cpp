#include "core/sweep/sweep.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/base/log.h"
#include "core/record/environment.h"

namespace runahead::sweep {

namespace {

template <typename T>
std::optional<double> as_double(const std::optional<T>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

/// A program's version as people are told it.
std::string version_of(const record::Environment& environment) {
  return environment.runahead + (environment.git ? " (" + *environment.git + ")" : "");
}

/// Fills in what earlier sweeps left in the store; of several records of a run the last one counts.
/// Records of another version are left out: what one version measured does not stand beside what
/// another did.
void restore(const Plan& plan, const RecordStore& store, SweepResult& result) {
  std::map<std::string, std::size_t> cell_of_id;
  for (std::size_t index = 0; index < plan.cells.size(); ++index) {
    cell_of_id[plan.cells[index].id] = index;
  }
  const std::string version = version_of(record::collect_environment());
  std::string other_version;
  std::size_t of_other_versions = 0;
  for (const record::Record& record : store.read()) {
    const auto cell = cell_of_id.find(record.id);
    if (cell == cell_of_id.end() || record.repeat < 0 || record.repeat >= plan.repeats) continue;
    if (const std::string made_by = version_of(record.environment); made_by != version) {
      ++of_other_versions;
      other_version = made_by;
      continue;
    }
    result.runs[cell->second][static_cast<std::size_t>(record.repeat)] = figures_of(record);
  }
  if (of_other_versions == 0) return;
  log_warning("another version, " + other_version + " (this is " + version + "), made " +
              std::to_string(of_other_versions) + " of the records here: those runs are made anew");
}

bool is_ok(const std::optional<RunFigures>& run) {
  return run && run->status == record::Status::kOk;
}

}  // namespace

RunFigures figures_of(const record::Record& record) {
  return {.status = record.status,
          .error = record.error,
          .issue_seconds = record.time.issue_seconds,
          .total_seconds = record.time.total_seconds,
          .rss_growth_bytes = as_double(record.memory.rss_growth_bytes),
          .batches_peak = as_double(record.backlog.batches_peak),
          .held_peak_bytes = as_double(record.memory.held_peak_bytes),
          .loss_last = record.loss.last};
}

bool SweepResult::all_ok() const {
  return std::all_of(runs.begin(), runs.end(), [](const auto& repeats) {
    return std::all_of(repeats.begin(), repeats.end(), is_ok);
  });
}

SweepResult run_sweep(const Plan& plan, RecordStore& store, CellRunner& runner, int jobs,
                      const std::function<void(const SweepProgress&)>& on_end) {
  SweepResult result;
  result.runs.assign(plan.cells.size(), {});
  for (auto& repeats : result.runs) repeats.resize(static_cast<std::size_t>(plan.repeats));
  restore(plan, store, result);
  const auto run_of = [&](const CellJob& job) -> std::optional<RunFigures>& {
    return result.runs[job.cell][static_cast<std::size_t>(job.repeat)];
  };

  std::vector<CellJob> to_run;
  std::copy_if(plan.jobs.begin(), plan.jobs.end(), std::back_inserter(to_run),
               [&](const CellJob& job) { return !is_ok(run_of(job)); });
  std::size_t done = plan.jobs.size() - to_run.size();
  auto next = to_run.begin();
  for (int running = 0;;) {
    while (running < jobs && next != to_run.end() && !runner.interrupted()) {
      runner.start(plan.cells[next->cell], *next);
      ++next;
      ++running;
    }
    if (running == 0) break;
    const CellResult ended = runner.wait_any();
    --running;
    if (!ended.began) continue;
    store.append(ended.record);
    run_of(ended.job) = figures_of(ended.record);
    ++done;
    if (on_end) on_end({ended, done, plan.jobs.size()});
  }
  result.interrupted = runner.interrupted();
  return result;
}

}  // namespace runahead::sweep
