#include "core/experiment/experiment_run.h"

#include <torch/version.h>

#include <algorithm>
#include <utility>

#include "core/base/affinity.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/experiment/make_experiment.h"
#include "core/memory/process_probe.h"
#include "core/memory/slow_lane.h"
#include "core/record/environment.h"
#include "core/trace/trace_json.h"

namespace runahead::experiment {

using record::Status;

namespace {

Json to_json(const memory::Attribution& attribution, TimePoint started) {
  Json parts = Json::object();
  parts["time_seconds"] = seconds_between(started, attribution.time);
  parts["baseline_bytes"] = attribution.baseline_bytes;
  for (std::size_t i = 0; i < attribution.counted_columns.size(); ++i) {
    parts[attribution.counted_columns[i]] = attribution.counted_bytes[i];
  }
  parts["heap_kept_bytes"] = attribution.heap_kept_bytes;
  parts["rest_bytes"] = attribution.rest_bytes;
  parts["rss_bytes"] = attribution.rss_bytes;
  return parts;
}

/// What charts call the columns of samples.csv, and which of them RSS is made of.
Json to_json(const std::vector<memory::Column>& columns) {
  Json described = Json::object();
  for (const auto& [name, label, rss_sign] : columns) {
    if (!label.empty()) described[name] = {{"label", label}, {"rss_sign", rss_sign}};
  }
  return described;
}

int workers_of(const config::ExperimentConfig& config) {
  return config.device == "acpu" ? config.acpu.workers : 0;
}

std::string list_of(const std::vector<int>& cpus) {
  std::string text = cpus.size() == 1 ? "CPU " : "CPUs ";
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    if (i > 0) text += i + 1 == cpus.size() ? " and " : ", ";
    text += std::to_string(cpus[i]);
  }
  return text;
}

/// Runs that share CPUs take longer, and run ahead less, than they do alone.
void warn_of_shared_cpus(CpuClaim& claim) {
  if (!claim.is_shared()) return;
  log_warning("another run uses some of " + list_of(claim.cpus()) +
              ": times and batches in flight do not compare with those of a run alone; run one "
              "after the other, or give each CPUs of its own with taskset");
}

}  // namespace

ExperimentRun::ExperimentRun(config::ExperimentConfig config, Factories factories,
                             RunOptions options)
    : config_(std::move(config)),
      factories_(std::move(factories)),
      options_(std::move(options)),
      placement_(place_threads(config_.threads, workers_of(config_), allowed_cpus())),
      loop_ranges_(factories_.loop_ranges ? factories_.loop_ranges() : nullptr),
      device_(config_, factories_) {
  RUNAHEAD_REQUIRE(options_.sink != nullptr, "a run needs a sink to print to");
  if (options_.trace) trace_ = std::make_unique<RunTrace>(device_.executors());
  experiment_ = make_experiment({config_, factories_, device_, *options_.sink, loop_observers()});
  experiment_observer_ = experiment_->engine_observer();
  warmup_monitor_ = make_monitor();
  monitor_ = make_monitor();
}

ExperimentRun::~ExperimentRun() = default;

std::unique_ptr<memory::MemoryMonitor> ExperimentRun::make_monitor() const {
  if (config_.monitor.rate_hz == 0.0) return nullptr;
  std::vector<std::unique_ptr<memory::Probe>> probes;
  probes.push_back(std::make_unique<memory::ProcessProbe>());
  for (auto& probe : device_.make_probes()) probes.push_back(std::move(probe));
  for (auto& probe : experiment_->make_probes()) probes.push_back(std::move(probe));
  probes.push_back(memory::make_slow_lane());
  return std::make_unique<memory::MemoryMonitor>(
      memory::MonitorOptions{.rate_hz = config_.monitor.rate_hz, .cpus = placement_.allowed_cpus},
      std::move(probes));
}

void ExperimentRun::execute(std::stop_token stop) {
  show_progress();  // Before this thread is pinned: the view's thread inherits where it may run.
  if (placement_.claim) warn_of_shared_cpus(*placement_.claim);
  apply_to_front_end(placement_, config_.threads);
  device_.configure(placement_, options_.memory_limit_bytes, engine_observers());
  is_configured_.store(true);
  try {
    measure(stop);
  } catch (const ConfigError&) {
    throw;
  } catch (const UnavailableError&) {
    throw;
  } catch (...) {
    const Failure failure = describe_failure(std::current_exception());
    if (trace_) trace_->close();
    const std::lock_guard lock(mutex_);
    timeline_.failure = failure;
  }
}

std::vector<engine::Observer*> ExperimentRun::engine_observers() const {
  std::vector<engine::Observer*> observers;
  if (trace_) observers.push_back(&trace_->engine_observer());
  if (experiment_observer_) observers.push_back(experiment_observer_.get());
  return observers;
}

std::vector<train::LoopObserver*> ExperimentRun::loop_observers() const {
  std::vector<train::LoopObserver*> observers;
  if (trace_) observers.push_back(trace_.get());
  if (loop_ranges_) observers.push_back(loop_ranges_.get());
  return observers;
}

void ExperimentRun::measure(const std::stop_token& stop) {
  const auto check_stop = [&stop] {
    if (stop.stop_requested()) throw InterruptedError("interrupted by a signal");
  };
  begin_warmup();
  experiment_->prepare(stop);
  check_stop();
  device_.back_end().synchronize();
  check_stop();  // Another thread may have concluded the run meanwhile, and reads what stands.
  start_clock();
  experiment_->issue(stop);
  note_issued();
  check_stop();
  device_.back_end().synchronize();
  stop_clock();
  experiment_->read_results();
}

void ExperimentRun::begin_warmup() {
  if (trace_) trace_->start();
  if (warmup_monitor_) warmup_monitor_->start();
  const std::lock_guard lock(mutex_);
  timeline_.begun = Clock::now();
}

void ExperimentRun::start_clock() {
  {
    const std::lock_guard lock(mutex_);
    warmup_monitor_.reset();  // Its samples are for a run that does not come so far.
  }
  device_.trim_memory();
  Timeline timeline{.begun = timeline_.begun};
  timeline.rss_baseline = memory::ProcessProbe().rss_bytes();
  timeline.counts_rss_peak = memory::reset_peak_rss();
  device_.reset_counters();
  if (monitor_) monitor_->start();
  if (trace_) trace_->start();
  timeline.cpu_seconds_at_start = process_cpu_seconds();
  timeline.started = Clock::now();
  const std::lock_guard lock(mutex_);
  timeline_ = timeline;
}

void ExperimentRun::note_issued() {
  const TimePoint issued = Clock::now();
  if (trace_) trace_->begin_drain(issued);
  const std::lock_guard lock(mutex_);
  timeline_.issued = issued;
}

void ExperimentRun::stop_clock() {
  const TimePoint idle = Clock::now();
  if (trace_) trace_->close();
  const std::lock_guard lock(mutex_);
  close_timeline(idle);
}

/// Under the lock, once.
void ExperimentRun::close_timeline(TimePoint idle) {
  if (!timeline_.issued) timeline_.issued = idle;
  timeline_.idle = idle;
  timeline_.cpu_seconds = process_cpu_seconds() - timeline_.cpu_seconds_at_start;
  if (timeline_.counts_rss_peak) timeline_.rss_peak = memory::peak_rss_bytes();
  timeline_.rss_end = memory::ProcessProbe().rss_bytes();
}

memory::MemoryMonitor* ExperimentRun::present_monitor() const {
  if (timeline_.started) return monitor_.get();
  return timeline_.begun ? warmup_monitor_.get() : nullptr;
}

record::Record ExperimentRun::finish(std::optional<std::string> interruption) {
  const std::lock_guard lock(mutex_);
  progress_.reset();
  progress_writer_.reset();
  if (memory::MemoryMonitor* monitor = present_monitor()) monitor->stop();
  record::Record record = record::make_record(config_, options_.repeat, options_.axes);
  record.environment = record::collect_environment();
  record.environment.torch = TORCH_VERSION;
  record.environment.malloc = options_.malloc_settings;
  record.environment.cuda = options_.cuda;
  record.environment.gpu = options_.gpu;
  if (placement_.claim) record.environment.cpus_shared = placement_.claim->is_shared();
  if (interruption) timeline_.failure = Failure{Status::kInterrupted, *interruption};
  if (timeline_.failure) {
    record.status = timeline_.failure->status;
    record.error = timeline_.failure->message;
  }
  report_monitor(record);
  device_.report(record);
  if (trace_) record.results["trace"] = trace::summary_of(trace_->close());
  if (!timeline_.started) return record;
  if (record.status == Status::kInterrupted && !timeline_.idle) close_timeline(Clock::now());
  report_time(record);
  report_memory(record);
  experiment_->report(record, *timeline_.started);
  return record;
}

void ExperimentRun::report_time(record::Record& record) const {
  const TimePoint started = *timeline_.started;
  if (timeline_.issued) record.time.issue_seconds = seconds_between(started, *timeline_.issued);
  if (timeline_.idle) record.time.total_seconds = seconds_between(started, *timeline_.idle);
  record.time.cpu_seconds = timeline_.cpu_seconds;
}

void ExperimentRun::report_monitor(record::Record& record) const {
  const memory::MemoryMonitor* monitor = present_monitor();
  if (monitor == nullptr) return;
  const memory::MonitorStats& stats = monitor->stats();
  record.results["sample_columns"] = to_json(monitor->described_columns());
  record.monitor = {.samples = stats.samples,
                    .missed = stats.missed,
                    .jitter_p99_seconds = stats.jitter_p99_seconds,
                    .cpu_seconds = stats.cpu_seconds,
                    .slow_lane_cpu_seconds = stats.slow_lane_cpu_seconds};
}

void ExperimentRun::report_memory(record::Record& record) const {
  record.memory.rss_baseline_bytes = timeline_.rss_baseline;
  record.memory.rss_peak_bytes = timeline_.rss_peak;
  record.memory.rss_end_bytes = timeline_.rss_end;
  if (!record.memory.rss_peak_bytes && monitor_) {
    record.memory.rss_peak_bytes = monitor_->series().peak("rss_bytes");
  }
  const memory::Reading& peak = record.memory.rss_peak_bytes;
  const memory::Reading& baseline = record.memory.rss_baseline_bytes;
  if (peak && baseline) record.memory.rss_growth_bytes = *peak - std::min(*peak, *baseline);
  if (!monitor_) return;
  if (const auto& attribution = monitor_->peak_attribution()) {
    record.memory.attribution = to_json(*attribution, *timeline_.started);
  }
}

const memory::SampleSeries* ExperimentRun::samples() const {
  const memory::MemoryMonitor* monitor = present_monitor();
  return monitor == nullptr ? nullptr : &monitor->series();
}

std::optional<TimePoint> ExperimentRun::start_time() const {
  return timeline_.started ? timeline_.started : timeline_.begun;
}

void ExperimentRun::show_progress() {
  const std::lock_guard lock(mutex_);
  if (options_.progress.out != nullptr) {
    progress_ = std::make_unique<ProgressView>(options_.progress, [this] { return progress(); });
  }
  if (!options_.progress_file.empty()) {
    progress_writer_ = std::make_unique<record::ProgressWriter>(
        options_.progress_file, options_.progress_file_seconds, [this] { return cell_progress(); });
  }
}

Progress ExperimentRun::progress() const {
  if (!is_configured_.load()) return {.batches = config_.batches};
  return {.batches = config_.batches,
          .counts = experiment_->counts(),
          .operations_in_flight = device_.operations_in_flight(),
          .rss_bytes = memory::ProcessProbe().rss_bytes(),
          .live_bytes = device_.live_bytes()};
}

record::CellProgress ExperimentRun::cell_progress() const {
  const Progress now = progress();
  record::CellProgress progress{.operations_in_flight = now.operations_in_flight,
                                .rss_bytes = now.rss_bytes};
  if (now.counts) {
    progress.batches = static_cast<std::uint64_t>(now.batches);
    progress.batches_issued = now.counts->issued;
    progress.batches_finished = now.counts->finished;
  }
  return progress;
}

void ExperimentRun::write_trace(const std::filesystem::path& path) const {
  const std::optional<TimePoint> origin = start_time();
  if (!trace_ || !origin) return;
  trace::write_trace(
      path, trace_->close(),
      {.name = config_.experiment + " on " + config_.device,
       .origin = *origin,
       .origin_is = timeline_.started ? "the first measured batch begins; the warm-up is left out"
                                      : "the warm-up begins; the run ended in it",
       .runs_inside_push = device_.executes_at_issue(),
       .samples = samples()});
}

}  // namespace runahead::experiment
