#include "core/recording/run_timeline.h"

#include <algorithm>
#include <vector>

#include "core/base/json.h"
#include "core/memory/process_probe.h"

namespace runahead::recording {
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

/// The chart labels of the columns of samples.csv, and their signs in the sum that makes up RSS.
Json to_json(const std::vector<memory::Column>& columns) {
  Json described = Json::object();
  for (const auto& [name, label, rss_sign] : columns) {
    if (!label.empty()) described[name] = {{"label", label}, {"rss_sign", rss_sign}};
  }
  return described;
}

}  // namespace

void RunTimeline::take_baseline() {
  rss_baseline_ = memory::ProcessProbe().rss_bytes();
  counts_rss_peak_ = memory::reset_peak_rss();
}

void RunTimeline::start() {
  cpu_seconds_at_start_ = process_cpu_seconds();
  started_ = Clock::now();
}

void RunTimeline::close(TimePoint idle) {
  if (!issued_) issued_ = idle;
  idle_ = idle;
  cpu_seconds_ = process_cpu_seconds() - cpu_seconds_at_start_;
  if (counts_rss_peak_) rss_peak_ = memory::peak_rss_bytes();
  rss_end_ = memory::ProcessProbe().rss_bytes();
}

void RunTimeline::report(const memory::MemoryMonitor* monitor, record::Record& record) const {
  if (issued_) record.time.issue_seconds = seconds_between(*started_, *issued_);
  if (idle_) record.time.total_seconds = seconds_between(*started_, *idle_);
  record.time.cpu_seconds = cpu_seconds_;
  record.memory.rss_baseline_bytes = rss_baseline_;
  record.memory.rss_peak_bytes = rss_peak_;
  record.memory.rss_end_bytes = rss_end_;
  memory::Reading& peak = record.memory.rss_peak_bytes;
  if (const memory::Reading sampled =
          monitor == nullptr ? std::nullopt : monitor->series().peak("rss_bytes")) {
    peak = std::max(peak.value_or(0), *sampled);  // The kernel's peak may lag behind.
  }
  if (peak && rss_baseline_) {
    record.memory.rss_growth_bytes = *peak - std::min(*peak, *rss_baseline_);
  }
  if (monitor == nullptr) return;
  if (const auto& attribution = monitor->peak_attribution()) {
    record.memory.attribution = to_json(*attribution, *started_);
  }
}

record::MonitorFigures figures_of(const memory::MonitorStats& stats) {
  return {.samples = stats.samples,
          .missed = stats.missed,
          .jitter_p99_seconds = stats.jitter_p99_seconds,
          .cpu_seconds = stats.cpu_seconds,
          .slow_lane_cpu_seconds = stats.slow_lane_cpu_seconds};
}

void report_monitor(const memory::MemoryMonitor& monitor, record::Record& record) {
  record.results["sample_columns"] = to_json(monitor.described_columns());
  record.monitor = figures_of(monitor.stats());
}

}  // namespace runahead::recording
