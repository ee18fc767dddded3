#pragma once

#include <optional>

#include "core/base/clock.h"
#include "core/memory/memory_monitor.h"
#include "core/record/record.h"

namespace runahead::recording {

/// The stretch of time that a run measures, and what the process had in it: CPU time, RSS. Not
/// thread-safe.
class RunTimeline {
 public:
  /// Before the clock starts, with the heap trimmed: takes the baseline of RSS, and resets the
  /// kernel's peak.
  void take_baseline();
  /// The clock starts.
  void start();
  void note_issued(TimePoint time) { issued_ = time; }  ///< The last batch, by the front end.
  /// The device is idle: the clock stops. Once. What was not issued until now is as of now.
  void close(TimePoint idle);

  [[nodiscard]] const std::optional<TimePoint>& started() const noexcept { return started_; }
  [[nodiscard]] bool is_closed() const noexcept { return idle_.has_value(); }

  /// Fills in time.issue_seconds, total_seconds and cpu_seconds, and what is known of RSS. After
  /// start(). @param monitor  Stopped; null: there was none.
  void report(const memory::MemoryMonitor* monitor, record::Record& record) const;

 private:
  std::optional<TimePoint> started_{};
  std::optional<TimePoint> issued_{};
  std::optional<TimePoint> idle_{};
  double cpu_seconds_at_start_ = 0.0;
  std::optional<double> cpu_seconds_{};  ///< From the start to idle.
  memory::Reading rss_baseline_{};
  memory::Reading rss_peak_{};  ///< Of the kernel, from the start to idle.
  memory::Reading rss_end_{};   ///< When the device was idle.
  bool counts_rss_peak_ = false;
};

/// Fills in the figures of the monitor itself, and results.sample_columns, what charts call the
/// columns of its samples. @param monitor  Stopped.
void report_monitor(const memory::MemoryMonitor& monitor, record::Record& record);

}  // namespace runahead::recording
