#include "core/experiment/experiment_run.h"

#include <torch/version.h>

#include <algorithm>
#include <utility>

#include "core/base/affinity.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/memory/process_probe.h"
#include "core/memory/slow_lane.h"
#include "core/record/cell_progress.h"
#include "core/record/environment.h"
#include "core/trace/trace_json.h"
#include "core/trace/trace_recorder.h"

namespace runahead::experiment {

using record::Status;

namespace {

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

/// Runs that share CPUs take longer and run ahead less than runs that do not.
void warn_of_shared_cpus(CpuClaim& claim) {
  if (!claim.is_shared()) return;
  log_warning("another run uses some of " + list_of(claim.cpus()) +
              ": times and batches in flight do not compare with those of a run alone; run one "
              "after the other, or give each CPUs of its own with taskset");
}

/// Makes the experiment that the config's key `experiment` names.
/// @throws ConfigError if that kind is not built; also what its constructor throws.
std::unique_ptr<Experiment> make_experiment(const ExperimentContext& context) {
  const std::string& kind = context.config.experiment;
  std::string built;
  for (const auto& [name, make] : experiment_makers()) {
    if (name == kind) return make(context);
    built += (built.empty() ? "" : ", ") + name;
  }
  throw ConfigError("/experiment: '" + kind + "' is not built; there is: " + built);
}

}  // namespace

/// Records one run for its trace: what the engine reports, and the training loop's phases.
class ExperimentRun::Trace final : public trace::TraceRecorder, public train::LoopObserver {
 public:
  using TraceRecorder::TraceRecorder;

  void on_phase(train::LoopPhase phase, TimePoint time) override {
    switch (phase) {
      case train::LoopPhase::kWaitBefore:
        return enter(trace::Phase::kWaitBefore, time);
      case train::LoopPhase::kData:
        return enter(trace::Phase::kData, time);
      case train::LoopPhase::kIssue:
        return enter(trace::Phase::kIssue, time);
      case train::LoopPhase::kIssueBackward:
        return;  // Part of the issue phase.
      case train::LoopPhase::kWaitAfter:
        return enter(trace::Phase::kWaitAfter, time);
      case train::LoopPhase::kBatchEnd:
        return end_batch(time);
    }
  }
};

ExperimentRun::ExperimentRun(config::ExperimentConfig config, Factories factories,
                             RunOptions options)
    : config_(std::move(config)),
      factories_(std::move(factories)),
      options_(std::move(options)),
      placement_(place_threads(config_.threads, workers_of(config_), allowed_cpus())),
      loop_ranges_(factories_.loop_ranges ? factories_.loop_ranges() : nullptr),
      device_(config_, factories_) {
  RUNAHEAD_REQUIRE(options_.sink != nullptr, "a run needs a sink to print to");
  if (options_.trace) trace_ = std::make_unique<Trace>(device_.executors());
  experiment_ = make_experiment(
      {config_, factories_, device_, *options_.sink, loop_observers(), placement_.allowed_cpus});
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
  show_progress();  // Before this thread is pinned: the view's thread inherits its affinity.
  if (placement_.claim) warn_of_shared_cpus(*placement_.claim);
  apply_to_front_end(placement_);
  device_.configure(placement_, options_.memory_limit_bytes, engine_observers());
  is_configured_.store(true);
  try {
    measure(stop);
  } catch (const ConfigError&) {
    throw;
  } catch (const UnavailableError&) {
    throw;
  } catch (...) {
    const train::Failure failure = train::describe_failure(std::current_exception());
    if (trace_) trace_->close();
    const std::lock_guard lock(mutex_);
    failure_ = failure;
  }
}

std::vector<engine::Observer*> ExperimentRun::engine_observers() const {
  std::vector<engine::Observer*> observers;
  if (trace_) observers.push_back(trace_.get());
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
  check_stop();  // Another thread may have called finish() meanwhile and reads the results.
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
  begun_ = Clock::now();
}

void ExperimentRun::start_clock() {
  {
    const std::lock_guard lock(mutex_);
    warmup_monitor_.reset();  // Its samples are only for a run that ends before this point.
  }
  device_.trim_memory();
  recording::RunTimeline timeline;
  timeline.take_baseline();
  device_.reset_counters();
  if (monitor_) monitor_->start();
  if (trace_) trace_->start();
  timeline.start();
  const std::lock_guard lock(mutex_);
  timeline_ = timeline;
}

void ExperimentRun::note_issued() {
  const TimePoint issued = Clock::now();
  if (trace_) trace_->begin_drain(issued);
  const std::lock_guard lock(mutex_);
  timeline_.note_issued(issued);
}

void ExperimentRun::stop_clock() {
  const TimePoint idle = Clock::now();
  if (trace_) trace_->close();
  const std::lock_guard lock(mutex_);
  timeline_.close(idle);
  busy_seconds_ = device_.busy_seconds(idle);
}

memory::MemoryMonitor* ExperimentRun::present_monitor() const {
  if (timeline_.started()) return monitor_.get();
  return begun_ ? warmup_monitor_.get() : nullptr;
}

record::Record ExperimentRun::finish(std::optional<std::string> interruption) {
  const std::lock_guard lock(mutex_);
  progress_view_ = {};
  progress_writer_ = {};
  memory::MemoryMonitor* const monitor = present_monitor();
  if (monitor != nullptr) monitor->stop();
  record::Record record = record::make_record(config_, options_.repeat, options_.axes);
  record.environment = record::collect_environment();
  record.environment.torch = TORCH_VERSION;
  record.environment.malloc = options_.malloc_settings;
  record.environment.cuda = options_.cuda;
  record.environment.gpu = options_.gpu;
  if (placement_.claim) record.environment.cpus_shared = placement_.claim->is_shared();
  if (interruption) failure_ = train::Failure{Status::kInterrupted, *interruption};
  if (failure_) {
    record.status = failure_->status;
    record.error = failure_->message;
  }
  if (monitor != nullptr) recording::report_monitor(*monitor, record);
  device_.report(record);
  if (trace_) record.results["trace"] = trace::summary_of(trace_->close());
  if (!timeline_.started()) return record;
  if (record.status == Status::kInterrupted && !timeline_.is_closed()) {
    timeline_.close(Clock::now());
  }
  timeline_.report(monitor, record);
  if (busy_seconds_) record.results["busy_seconds"] = *busy_seconds_;
  experiment_->report(record, *timeline_.started());
  return record;
}

const memory::SampleSeries* ExperimentRun::samples() const {
  const memory::MemoryMonitor* monitor = present_monitor();
  return monitor == nullptr ? nullptr : &monitor->series();
}

std::optional<TimePoint> ExperimentRun::start_time() const {
  return timeline_.started() ? timeline_.started() : begun_;
}

void ExperimentRun::show_progress() {
  const std::lock_guard lock(mutex_);
  if (options_.progress.out != nullptr) {
    progress_view_ = start_progress_view(options_.progress, [this] { return progress(); });
  }
  if (!options_.progress_file.empty()) {
    progress_writer_ = record::start_progress_writer(
        options_.progress_file, options_.progress_file_seconds, [this] { return progress(); });
  }
}

record::CellProgress ExperimentRun::progress() const {
  if (!is_configured_.load()) return {};
  record::CellProgress progress{.operations_in_flight = device_.operations_in_flight(),
                                .rss_bytes = memory::ProcessProbe().rss_bytes(),
                                .live_bytes = device_.live_bytes()};
  if (const auto counts = experiment_->counts()) {
    progress.batches = static_cast<std::uint64_t>(experiment_->batches());
    progress.batches_issued = counts->issued;
    progress.batches_finished = counts->finished;
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
       .origin_is = timeline_.started() ? "the first measured batch begins; the warm-up is left out"
                                        : "the warm-up begins; the run ended in it",
       .runs_inside_push = device_.executes_at_issue(),
       .samples = samples()});
}

}  // namespace runahead::experiment
