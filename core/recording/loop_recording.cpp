#include "core/recording/loop_recording.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/base/affinity.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/config/sha256.h"
#include "core/memory/heap.h"
#include "core/memory/process_probe.h"
#include "core/memory/slow_lane.h"
#include "core/record/command_line.h"
#include "core/record/environment.h"
#include "core/recording/batch_report.h"
#include "core/trace/trace_json.h"

namespace runahead::recording {
namespace {

constexpr const char* kKind = "recording";
// Share of one core. With the samples at 100 Hz, a recording takes half a percent of a core.
constexpr double kSlowShare = 0.001;

std::unique_ptr<memory::MemoryMonitor> make_monitor(
    double rate_hz, std::vector<std::unique_ptr<memory::Probe>> of_device,
    std::unique_ptr<memory::Probe> of_batches) {
  std::vector<std::unique_ptr<memory::Probe>> probes;
  probes.push_back(std::make_unique<memory::ProcessProbe>());
  for (auto& probe : of_device) probes.push_back(std::move(probe));
  probes.push_back(std::move(of_batches));
  probes.push_back(memory::make_slow_lane(kSlowShare));
  return std::make_unique<memory::MemoryMonitor>(
      memory::MonitorOptions{.rate_hz = rate_hz, .cpus = allowed_cpus()}, std::move(probes));
}

}  // namespace

LoopRecording::LoopRecording(LoopOptions options,
                             std::vector<std::unique_ptr<memory::Probe>> probes)
    : process_id_(::getpid()),
      options_(std::move(options)),
      folder_(std::make_unique<RunFolder>(options_.folder)) {
  if (::access(options_.folder.c_str(), W_OK) != 0) {
    const int problem = errno;
    throw Error("cannot write to the folder '" + options_.folder.string() +
                "': " + std::strerror(problem));
  }
  if (options_.traces) trace_ = std::make_unique<trace::TraceRecorder>(options_.executors);
  monitor_ = make_monitor(options_.rate_hz, std::move(probes), make_batch_probe(batches_));
}

LoopRecording::~LoopRecording() {
  if (::getpid() == process_id_) return;
  // A forked process does not have the monitor's threads, so joining them would never return.
  static_cast<void>(monitor_.release());
  static_cast<void>(folder_.release());  // It would remove the folder, which is still empty.
}

void LoopRecording::start() {
  memory::trim_heap();
  timeline_.take_baseline();
  monitor_->start();
  if (trace_) trace_->start();
  timeline_.start();
  begin_batch(*timeline_.started());
}

/// The phases within the batch are unknown, so making its data counts as part of its issue.
void LoopRecording::begin_batch(TimePoint time) {
  if (!trace_) return;
  trace_->enter(trace::Phase::kWaitBefore, time);
  trace_->enter(trace::Phase::kData, time);
  trace_->enter(trace::Phase::kIssue, time);
}

void LoopRecording::batch_issued(std::optional<std::uint64_t> examples, std::uint64_t kept_bytes) {
  const std::lock_guard lock(mutex_);
  const TimePoint now = Clock::now();
  batches_->issue(now, kept_bytes);
  examples_ = examples_ && examples ? std::optional(*examples_ + *examples) : std::nullopt;
  if (trace_) trace_->end_batch(now);
  begin_batch(now);
}

void LoopRecording::end_issue() {
  const TimePoint now = Clock::now();
  timeline_.note_issued(batches_->last_issued().value_or(now));
  if (trace_) trace_->begin_drain(now);
}

void LoopRecording::stop() {
  const TimePoint idle = Clock::now();
  if (trace_) trace_->close();
  timeline_.close(idle);
  monitor_->stop();
}

record::Record LoopRecording::make_record(const LoopEnd& end) const {
  record::Record record;
  record.status = end.status;
  record.error = end.error;
  record.experiment = kKind;
  record.device = end.device;
  record.config = {{"experiment", kKind},
                   {"device", end.device},
                   {"command", options_.command},
                   {"monitor", {{"rate_hz", options_.rate_hz}}}};
  if (end.workers) record.config["acpu"] = {{"workers", *end.workers}};
  record.ended_at = utc_time();
  record.command = record::command_line();
  record.id = sha256_hex(dump_json(record.config));
  record.environment = record::collect_environment();
  record.environment.torch = options_.torch;
  record.environment.cuda = end.cuda;
  record.environment.gpu = end.gpu;
  return record;
}

void LoopRecording::write(const LoopEnd& end,
                          const std::function<void(record::Record&)>& report_device) {
  record::Record record = make_record(end);
  report_monitor(*monitor_, record);
  report_device(record);
  if (trace_) record.results["trace"] = trace::summary_of(trace_->close());
  timeline_.report(monitor_.get(), record);
  const std::uint64_t issued = batches_->counts().issued;
  const std::lock_guard lock(mutex_);
  std::optional<double> batch_size;
  if (examples_ && issued > 0) {
    batch_size = static_cast<double>(*examples_) / static_cast<double>(issued);
    record.results["examples"] = *examples_;
  }
  report_batches({.batches = *batches_,
                  .batch_size = batch_size,
                  .own_bytes = end.own_bytes,
                  .executes_at_issue = end.executes_at_issue},
                 *timeline_.started(), record);
  folder_->write(record, &monitor_->series(), timeline_.started());
  if (!trace_) return;
  trace::write_trace(folder_->trace_path(), trace_->close(),
                     {.name = std::string(kKind) + " on " + end.device,
                      .origin = *timeline_.started(),
                      .origin_is = "the recording began",
                      .runs_inside_push = end.executes_at_issue,
                      .samples = &monitor_->series()});
}

}  // namespace runahead::recording
