#pragma once

#include <optional>

#include "core/base/clock.h"
#include "core/memory/memory_monitor.h"
#include "core/record/record.h"

namespace runahead::recording {

/// The period that a run measures, and the CPU time and RSS of the process in it. Not thread-safe.
class RunTimeline {
 public:
  /// Takes the RSS baseline and resets the kernel's peak. Call it before the clock starts, with the
  /// heap trimmed.
  void take_baseline();
  /// Starts the clock.
  void start();
  void note_issued(TimePoint time) { issued_ = time; }  ///< When the last batch was issued.
  /// Stops the clock. Call it once, when the device is idle. Without note_issued(), the issue ends
  /// at `idle`.
  void close(TimePoint idle);

  [[nodiscard]] const std::optional<TimePoint>& started() const noexcept { return started_; }
  [[nodiscard]] bool is_closed() const noexcept { return idle_.has_value(); }

  /// Fills in time.issue_seconds, total_seconds and cpu_seconds, and the known figures of RSS. Call
  /// it after start(). @param monitor  Stopped; null if there was none.
  void report(const memory::MemoryMonitor* monitor, record::Record& record) const;

 private:
  std::optional<TimePoint> started_{};
  std::optional<TimePoint> issued_{};
  std::optional<TimePoint> idle_{};
  double cpu_seconds_at_start_ = 0.0;
  std::optional<double> cpu_seconds_{};  ///< From the start to idle.
  memory::Reading rss_baseline_{};
  memory::Reading rss_peak_{};  ///< The kernel's peak from the start to idle.
  memory::Reading rss_end_{};   ///< RSS when the device was idle.
  bool counts_rss_peak_ = false;
};

/// How well a monitor sampled, as a record has it.
[[nodiscard]] record::MonitorFigures figures_of(const memory::MonitorStats& stats);

/// Fills in the figures of the monitor itself, and results.sample_columns, which labels the columns
/// of its samples for charts. @param monitor  Stopped.
void report_monitor(const memory::MemoryMonitor& monitor, record::Record& record);

}  // namespace runahead::recording
