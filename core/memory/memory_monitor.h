#pragma once

#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/memory/attribution.h"
#include "core/memory/jitter_histogram.h"
#include "core/memory/probe.h"
#include "core/memory/sample_series.h"
#include "core/memory/ticker.h"

namespace runahead::memory {

struct MonitorOptions {
  static constexpr double kLeastRateHz = 0.001;
  static constexpr double kMostRateHz = 10'000.0;

  double rate_hz = 1000.0;         ///< Samples per second, in [kLeastRateHz, kMostRateHz].
  std::size_t max_rows = 100'000;  ///< Bound on the rows kept (SampleSeries).
  /// CPUs the sampling thread may use; empty: those of the thread that calls start().
  std::vector<int> cpus{};
};

/// One row: the columns of MemoryMonitor::columns(), in their order.
struct Sample {
  TimePoint time{};
  std::vector<Reading> readings{};
};

/// How well the monitor kept its rate, and what it cost.
struct MonitorStats {
  std::uint64_t samples = 0;
  std::uint64_t missed = 0;                    ///< Ticks that passed without a sample.
  std::optional<double> jitter_p99_seconds{};  ///< 99 % of the samples were at most this late.
  double cpu_seconds = 0.0;                    ///< CPU time of the sampling thread.
  double slow_lane_cpu_seconds = 0.0;          ///< CPU time of the probes' own threads.
};

/// Samples probes at a fixed rate on its own thread, once, from start() to stop().
///
/// Deadlines are absolute: a late sample does not shift the next ones; ticks that have passed are
/// counted as missed, not made up for. The sampling thread never allocates and never waits for
/// another thread.
class MemoryMonitor {
 public:
  /// @param probes  Read in this order, by the sampling thread only; their columns all differ.
  /// @throws UsageError if the options are out of range, or a column occurs twice.
  explicit MemoryMonitor(const MonitorOptions& options, std::vector<std::unique_ptr<Probe>> probes,
                         std::unique_ptr<Ticker> ticker = make_steady_ticker());
  ~MemoryMonitor();  ///< Stops.
  MemoryMonitor(const MemoryMonitor&) = delete;
  MemoryMonitor& operator=(const MemoryMonitor&) = delete;

  /// Starts the thread and returns once the first sample is taken. @throws UsageError if called
  /// twice.
  void start();

  /// Takes a last sample and joins the thread; at most 20 ms. Idempotent; owner's thread only.
  void stop() noexcept;

  [[nodiscard]] const std::vector<std::string>& columns() const noexcept;
  /// The same columns as described by the probes and the attribution of RSS.
  [[nodiscard]] const std::vector<Column>& described_columns() const noexcept {
    return described_columns_;
  }

  /// The newest sample, at any time, from any thread; nullopt before the first.
  [[nodiscard]] std::optional<Sample> latest() const;
  /// One column of the newest sample; nullopt also if it was not measured or does not exist.
  [[nodiscard]] Reading latest(std::string_view column) const;

  /// Every sample kept. @throws UsageError unless stopped, like stats().
  [[nodiscard]] const SampleSeries& series() const;
  [[nodiscard]] const MonitorStats& stats() const;
  /// The composition of RSS at its peak; nullopt if the probes do not report it.
  [[nodiscard]] const std::optional<Attribution>& peak_attribution() const;

 private:
  void run(const std::stop_token& stop) noexcept;
  void take_sample(TimePoint time) noexcept;
  void publish(TimePoint time) noexcept;

  MonitorOptions options_;
  std::vector<std::unique_ptr<Probe>> probes_;
  std::unique_ptr<Ticker> ticker_;
  std::vector<Column> described_columns_;
  Attributor attributor_;
  SampleSeries series_;
  JitterHistogram jitter_{};
  MonitorStats stats_{};
  std::vector<Reading> readings_;

  mutable std::mutex latest_mutex_{};
  std::optional<Sample> latest_{};  ///< Guarded by latest_mutex_.
  std::latch first_sample_taken_{1};

  bool is_stopped_ = false;
  std::jthread thread_{};
};

}  // namespace runahead::memory
