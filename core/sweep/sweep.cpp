#include "core/sweep/sweep.h"

#include <string>
#include <utility>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/record/environment.h"
#include "core/sweep/estimate.h"

namespace runahead::sweep {

namespace {

using record::Status;

/// The value of `key` in a config as written; empty unless it is text.
std::string text_of(const Json& document, const char* key) {
  const auto found = document.find(key);
  return found != document.end() && found->is_string() ? found->get<std::string>() : "";
}

/// One sweep while it runs.
class Sweep {
 public:
  Sweep(const Plan& plan, RecordStore& store, CellRunner& runner, const SweepSettings& settings)
      : plan_(plan), store_(store), runner_(runner), settings_(settings) {}

  SweepResult run() {
    const TimePoint start = Clock::now();
    restore();
    record_skipped();
    run_jobs();
    runner_.finish();
    result_.interrupted = runner_.interrupted();
    result_.progress = progress_;
    result_.cost.wall_seconds = seconds_between(start, Clock::now());
    return std::move(result_);
  }

 private:
  /// Restores the runs that earlier sweeps left in the store.
  void restore() {
    EarlierRuns earlier = store_.read_earlier(plan_);
    result_.runs = std::move(earlier.runs);
    for (const CellJob& job : plan_.jobs) {
      if (is_done(job)) count(*run_of(job));
    }
    if (earlier.of_other_versions == 0) return;
    log_warning("another version, " + earlier.other_version + " (this is " + own_version() +
                "), made " + std::to_string(earlier.of_other_versions) +
                " of the runs here: they run again");
  }

  void record_skipped() {
    for (const std::size_t cell : plan_.skipped) {
      for (std::int64_t repeat = 0; repeat < plan_.repeats; ++repeat) {
        if (runner_.interrupted()) return;
        const CellJob job{cell, repeat};
        if (const auto& run = run_of(job)) {
          count(*run);
        } else {
          keep({job, skipped_record(job)});
        }
      }
    }
  }

  [[nodiscard]] record::Record skipped_record(const CellJob& job) const {
    record::Record record;
    record.id = plan_.cells.id(job.cell);
    record.repeat = job.repeat;
    record.status = Status::kSkipped;
    record.error = plan_.cells.reason(job.cell);
    record.config = plan_.cells.document(job.cell);
    record.experiment = text_of(record.config, "experiment");
    record.device = text_of(record.config, "device");
    record.axes = plan_.cells.axes(job.cell);
    record.environment = environment_;
    return record;
  }

  void run_jobs() {
    auto next = plan_.jobs.begin();
    for (int running = 0;;) {
      while (running < settings_.jobs && next != plan_.jobs.end() && !runner_.interrupted()) {
        if (const CellJob& job = *next++; !is_done(job)) {
          start(job);
          ++running;
        }
      }
      if (running == 0) break;
      const CellResult ended = wait_for_next_end();
      --running;
      if (ended.began) keep_run(ended);
    }
  }

  /// Calls the observer at its interval while waiting, even if runs end more often than that.
  CellResult wait_for_next_end() {
    if (!settings_.on_look) return runner_.wait_any();
    for (;;) {
      const double patience_seconds = seconds_between(Clock::now(), next_look_);
      if (patience_seconds > 0.0) {
        if (auto ended = runner_.wait_any_for(patience_seconds)) return *std::move(ended);
      }
      settings_.on_look(state());
      next_look_ = Clock::now() + look_period_;
    }
  }

  [[nodiscard]] SweepState state() {
    SweepState state{.progress = progress_, .activity = runner_.activity(settings_.detailed_cells)};
    if (const auto run_seconds = usual_seconds(result_.runs)) {
      state.seconds_left = seconds_left(progress_.total - progress_.done, settings_.jobs,
                                        *run_seconds, state.activity);
    }
    return state;
  }

  void start(const CellJob& job) {
    runner_.start(plan_.cells[job.cell], job);
    ++result_.cost.runs;
  }

  void keep_run(const CellResult& ended) {
    result_.cost.cells_wall_seconds += ended.record.cell.wall_seconds.value_or(0.0);
    keep(ended);
  }

  void keep(const CellResult& ended) {
    store_.append(ended.record);
    std::optional<RunFigures>& run = run_of(ended.job);
    run = figures_of(ended.record);
    count(*run);
    if (settings_.on_end) settings_.on_end(ended, progress_);
  }

  void count(const RunFigures& run) {
    ++progress_.done;
    if (run.status != Status::kOk) ++progress_.not_ok;
  }

  std::optional<RunFigures>& run_of(const CellJob& job) {
    return result_.runs[job.cell][static_cast<std::size_t>(job.repeat)];
  }

  bool is_done(const CellJob& job) { return has_ended(run_of(job), settings_.retry); }

  const Plan& plan_;
  RecordStore& store_;
  CellRunner& runner_;
  const SweepSettings& settings_;
  const record::Environment environment_ = record::collect_environment();
  SweepResult result_{};
  SweepProgress progress_{.total = plan_.run_count()};
  const Clock::duration look_period_ = duration_of(settings_.look_seconds);
  TimePoint next_look_ = Clock::now() + look_period_;
};

}  // namespace

bool has_ended(const std::optional<RunFigures>& run, const std::set<record::Status>& retry) {
  return run && run->status != Status::kInterrupted && !retry.contains(run->status);
}

SweepResult run_sweep(const Plan& plan, RecordStore& store, CellRunner& runner,
                      const SweepSettings& settings) {
  return Sweep(plan, store, runner, settings).run();
}

}  // namespace runahead::sweep
