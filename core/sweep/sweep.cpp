#include "core/sweep/sweep.h"

#include <algorithm>
#include <string>

#include "core/base/log.h"
#include "core/record/environment.h"

namespace runahead::sweep {

namespace {

using record::Status;

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
      : plan_(plan), store_(store), on_end_(on_end) {}

  SweepResult run(CellRunner& runner, int jobs) {
    restore();
    record_skipped();
    run_jobs(runner, jobs);
    result_.interrupted = runner.interrupted();
    return std::move(result_);
  }

 private:
  /// Takes what earlier sweeps left in the store.
  void restore() {
    EarlierRuns earlier = read_earlier_runs(plan_, store_.records_path());
    result_.runs = std::move(earlier.runs);
    if (earlier.of_other_versions == 0) return;
    log_warning("another version, " + earlier.other_version + " (this is " + own_version() +
                "), made " + std::to_string(earlier.of_other_versions) +
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
    record.environment = environment_;
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
  const record::Environment environment_ = record::collect_environment();
  SweepResult result_{};
  std::size_t done_ = 0;
};

}  // namespace

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
