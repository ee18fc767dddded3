#include "core/sweep/sweep.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "core/base/log.h"
#include "core/record/environment.h"

namespace runahead::sweep {

namespace {

using record::Status;

template <typename T>
std::optional<double> as_double(const std::optional<T>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

/// A program's version as people are told it.
std::string version_of(const record::Environment& environment) {
  return environment.runahead + (environment.git ? " (" + *environment.git + ")" : "");
}

bool is_ok(const std::optional<RunFigures>& run) { return run && run->status == Status::kOk; }

/// The value of a config as it is written, if it is text.
std::string text_of(const Json& document, const char* key) {
  const auto found = document.find(key);
  return found != document.end() && found->is_string() ? found->get<std::string>() : "";
}

/// One sweep while it runs.
class Sweep {
 public:
  Sweep(const Plan& plan, RecordStore& store,
        const std::function<void(const SweepProgress&)>& on_end)
      : plan_(plan), store_(store), on_end_(on_end) {
    result_.runs.assign(plan.cells.size(), {});
    for (auto& repeats : result_.runs) repeats.resize(static_cast<std::size_t>(plan.repeats));
  }

  SweepResult run(CellRunner& runner, int jobs) {
    restore();
    record_skipped();
    run_jobs(runner, jobs);
    result_.interrupted = runner.interrupted();
    return std::move(result_);
  }

 private:
  /// Fills in what earlier sweeps left in the store; of several records of a run the last one
  /// counts. Records of another version are left out: what one version measured does not stand
  /// beside what another did.
  void restore() {
    std::unordered_map<std::string, std::size_t> cell_of_id;
    for (std::size_t cell = 0; cell < plan_.cells.size(); ++cell) {
      cell_of_id.emplace(plan_.cells.id(cell), cell);
    }
    const std::string version = version_of(record::collect_environment());
    std::string other_version;
    std::size_t of_other_versions = 0;
    for (const record::Record& record : store_.read()) {
      const auto cell = cell_of_id.find(record.id);
      if (cell == cell_of_id.end() || record.repeat < 0 || record.repeat >= plan_.repeats) continue;
      if (const std::string made_by = version_of(record.environment); made_by != version) {
        ++of_other_versions;
        other_version = made_by;
        continue;
      }
      run_of({cell->second, record.repeat}) = figures_of(record);
    }
    if (of_other_versions == 0) return;
    log_warning("another version, " + other_version + " (this is " + version + "), made " +
                std::to_string(of_other_versions) +
                " of the records here: those runs are made anew");
  }

  void record_skipped() {
    for (const CellJob& job : plan_.jobs) {
      if (is_ok(run_of(job))) ++done_;
    }
    for (const SkippedCell& skipped : plan_.skipped) {
      for (std::int64_t repeat = 0; repeat < plan_.repeats; ++repeat) {
        const CellJob job{skipped.cell, repeat};
        if (!run_of(job)) {
          keep({job, skipped_record(job, skipped.reason)});
        } else {
          ++done_;
        }
      }
    }
  }

  [[nodiscard]] record::Record skipped_record(const CellJob& job, const std::string& reason) const {
    record::Record record;
    record.id = plan_.cells.id(job.cell);
    record.repeat = job.repeat;
    record.status = Status::kSkipped;
    record.error = reason;
    record.config = plan_.cells.document(job.cell);
    record.experiment = text_of(record.config, "experiment");
    record.device = text_of(record.config, "device");
    record.axes = plan_.cells.axes(job.cell);
    record.environment = record::collect_environment();
    return record;
  }

  void run_jobs(CellRunner& runner, int jobs) {
    auto next = plan_.jobs.begin();
    for (int running = 0;;) {
      while (running < jobs && next != plan_.jobs.end() && !runner.interrupted()) {
        if (const CellJob& job = *next++; !is_ok(run_of(job))) {
          runner.start(plan_.cells[job.cell], job);
          ++running;
        }
      }
      if (running == 0) break;
      keep(runner.wait_any());
      --running;
    }
  }

  void keep(const CellResult& ended) {
    store_.append(ended.record);
    run_of(ended.job) = figures_of(ended.record);
    ++done_;
    if (on_end_) on_end_({ended, done_, plan_.run_count()});
  }

  std::optional<RunFigures>& run_of(const CellJob& job) {
    return result_.runs[job.cell][static_cast<std::size_t>(job.repeat)];
  }

  const Plan& plan_;
  RecordStore& store_;
  const std::function<void(const SweepProgress&)>& on_end_;
  SweepResult result_{};
  std::size_t done_ = 0;
};

}  // namespace

RunFigures figures_of(const record::Record& record) {
  return {.status = record.status,
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
  return Sweep(plan, store, on_end).run(runner, jobs);
}

}  // namespace runahead::sweep
