#include "core/command/program_run.h"

#include <system_error>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/interruption.h"
#include "core/base/log.h"
#include "core/command/command_process.h"
#include "core/command/tree_monitor.h"
#include "core/record/record_file.h"
#include "core/recording/run_folder.h"
#include "core/recording/run_timeline.h"

namespace runahead::command {

namespace fs = std::filesystem;
using record::Status;

namespace {

void set_status(const CommandEnd& end, record::Record& record) {
  if (end.was_interrupted) {
    record.status = Status::kInterrupted;
    record.error = "interrupted by a signal";
  } else if (end.signal) {
    record.status = Status::kCrashed;
    record.error = "the command was ended by " + signal_text(*end.signal);
  } else if (end.exit_code != 0) {
    record.status = Status::kFailed;
    record.error = "the command ended with exit code " + std::to_string(end.exit_code);
  }
}

/// What the command recorded itself; nullopt if it wrote no record.
std::optional<record::Record> read_recording(const fs::path& folder) {
  const fs::path path = folder / "record.json";
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return std::nullopt;
  try {
    return record::read_record(path);
  } catch (const Error& error) {
    log_warning(std::string(error.what()) + "; what the command recorded is left out");
    return std::nullopt;
  }
}

/// Replaces figures measured from outside with those that the command measured.
void merge(const record::Record& recording, record::Record& record) {
  Json merged = record::to_json(record);
  const Json theirs = record::to_json(recording);
  for (const char* section : {"time", "memory", "backlog", "loss", "monitor"}) {
    for (const auto& [key, value] : theirs[section].items()) {
      if (!value.is_null()) merged[section][key] = value;
    }
  }
  for (const char* key : {"torch", "cuda", "gpu", "malloc"}) {
    merged["environment"][key] = theirs["environment"][key];
  }
  merged["device"] = theirs["device"];
  merged["results"] = theirs["results"];
  const bool explains_more = record.status == Status::kOk || record.status == Status::kFailed;
  if (explains_more && recording.status != Status::kOk) {
    merged["status"] = theirs["status"];
    if (!theirs["error"].is_null()) merged["error"] = theirs["error"];
  }
  record = record::from_json(merged, "the command's record");
}

/// Moves what the command wrote into the run's folder, except its record, which has been merged.
void move_files(const fs::path& from, const fs::path& to) {
  std::error_code ignored;
  for (const char* name : {"samples.csv", "trace.json"})
    fs::rename(from / name, to / name, ignored);
  fs::remove_all(from, ignored);
}

/// One run, from its command line to its files.
class ProgramRun {
 public:
  ProgramRun(const config::ExperimentConfig& config, const ProgramRunOptions& options)
      : config_(config),
        options_(options),
        line_(line_of(config, options)),
        folder_(options.folder, "program"),
        recording_folder_(fs::absolute(folder_.path()) / "recording") {
    line_.environment[config::kRecordVariable] = recording_folder_.string();
    line_.environment[config::kTraceVariable] = options.trace ? "1" : "0";
  }

  ProgramRunEnd run() {
    start_ = Clock::now();
    CommandProcess process(line_, options_.out);
    own_bytes_ = own_rss_peak_bytes();
    if (config_.monitor.rate_hz > 0.0) {
      monitor_.emplace(config_.monitor.rate_hz, process.root(), TreeMonitor::Root::kDoesNotCount);
    }
    const CommandEnd end = process.wait();
    const double wall_seconds = seconds_between(start_, Clock::now());
    if (monitor_) monitor_->stop();
    record::Record record = outer_record(end, wall_seconds);
    write(record, outer_results(end, wall_seconds));
    return {.record = std::move(record),
            .folder = folder_.path(),
            .signal = end.was_interrupted ? std::nullopt : end.signal};
  }

 private:
  /// The filled-in command line. Checks that the program exists before the folder is created.
  static config::CommandLine line_of(const config::ExperimentConfig& config,
                                     const ProgramRunOptions& options) {
    config::CommandLine line = config::fill_in(config.command, options.home);
    require_program(line);
    return line;
  }

  /// What was measured from outside. The clock starts with the first process, which has no memory
  /// yet.
  [[nodiscard]] record::Record outer_record(const CommandEnd& end, double wall_seconds) const {
    record::Record record = record::make_record(config_, options_.repeat, options_.axes);
    set_status(end, record);
    record.time.total_seconds = wall_seconds;
    record.time.cpu_seconds = waited_cpu_seconds();
    if (monitor_) record.monitor = recording::figures_of(monitor_->monitor().stats());
    record.memory.rss_baseline_bytes = 0;
    record.memory.rss_peak_bytes = peak().bytes;
    record.memory.rss_growth_bytes = record.memory.rss_peak_bytes;
    return record;
  }

  [[nodiscard]] Json outer_results(const CommandEnd& end, double wall_seconds) const {
    return {{"exit_code", end.signal ? Json(nullptr) : Json(end.exit_code)},
            {"signal", or_null(end.signal)},
            {"wall_seconds", wall_seconds},
            {"rss_peak_bytes", or_null(peak().bytes)},
            {"rss_peak_is_upper_bound", peak().is_upper_bound},
            {"processes", processes()}};
  }

  /// The number of processes that were seen; null if none was: they ended too soon.
  [[nodiscard]] Json processes() const {
    const std::size_t seen = monitor_ ? monitor_->seen().size() : 0;
    return seen > 0 ? Json(seen) : Json(nullptr);
  }

  [[nodiscard]] TreePeak peak() const {
    return tree_peak(monitor_ ? monitor_->sampled_peak() : SampledPeak{}, own_bytes_);
  }

  void write(record::Record& record, Json results) const {
    const std::optional<record::Record> recording = read_recording(recording_folder_);
    if (recording) merge(*recording, record);
    results["is_recorded"] = recording.has_value();
    record.results["program"] = std::move(results);
    if (recording) move_files(recording_folder_, folder_.path());
    std::error_code ignored;
    fs::remove(recording_folder_, ignored);  // Empty if the command ended before it wrote.
    const bool is_sampled = monitor_ && !recording;
    folder_.write(record, is_sampled ? &monitor_->monitor().series() : nullptr, start_);
  }

  const config::ExperimentConfig& config_;
  const ProgramRunOptions& options_;
  config::CommandLine line_;
  const recording::RunFolder folder_;
  const fs::path recording_folder_;
  std::optional<TreeMonitor> monitor_{};
  TimePoint start_{};
  std::uint64_t own_bytes_ = 0;
};

}  // namespace

ProgramRunEnd run_program(const config::ExperimentConfig& config,
                          const ProgramRunOptions& options) {
  return ProgramRun(config, options).run();
}

}  // namespace runahead::command
