#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/experiment/device_session.h"
#include "core/experiment/experiment.h"
#include "core/experiment/factories.h"
#include "core/experiment/progress.h"
#include "core/experiment/thread_placement.h"
#include "core/memory/memory_monitor.h"
#include "core/record/record.h"
#include "core/recording/run_timeline.h"
#include "core/train/failure.h"
#include "core/train/loop_observer.h"

namespace runahead::experiment {

struct RunOptions {
  std::int64_t repeat = 0;
  Json axes = Json::object();                    ///< Those of a sweep's cell, for the record.
  std::optional<std::string> malloc_settings{};  ///< What memory::configure_malloc returned.
  std::optional<std::uint64_t>
      memory_limit_bytes{};      ///< Memory the process may use; bounds the guard.
  std::ostream* sink = nullptr;  ///< Where the wait `print` writes; required, outlives the run.
  ProgressOutput progress{};     ///< Where progress is shown until finish().
  /// Where progress is written, periodically until finish(); empty: nowhere.
  std::filesystem::path progress_file{};
  double progress_file_seconds = 0.5;
  bool trace = false;  ///< Records the trace that write_trace() writes.
  // For the record's environment, from a program that is linked against CUDA:
  std::optional<std::string> cuda{};  ///< Version of the CUDA toolkit.
  std::optional<std::string> gpu{};   ///< Name of the GPU.
};

/// One run of one experiment in this process, and its record.
///
/// The thread that calls execute() is the front end. It is pinned as the config says, and remains
/// pinned afterwards.
class ExperimentRun {
 public:
  /// Finds the device and checks what the config asks for; starts nothing.
  /// @throws UnavailableError if the device is unavailable, ConfigError for what is not built.
  ExperimentRun(config::ExperimentConfig config, Factories factories, RunOptions options);
  /// Waits for what is still in flight.
  ~ExperimentRun();
  ExperimentRun(const ExperimentRun&) = delete;
  ExperimentRun& operator=(const ExperimentRun&) = delete;

  /// Runs the experiment. Call it once. A failure after the work has begun becomes the record's
  /// status, and so does a stop: the front end checks for one before each batch, and then does not
  /// wait for the device.
  /// @throws ConfigError, UnavailableError as the constructor.
  void execute(std::stop_token stop = {});

  /// Stops the monitor and returns the record of what was measured so far. Call it after execute();
  /// or, with `interruption`, on any thread while the front end is stuck in a wait. The record is
  /// then that of an interrupted run, and the process must end without destroying this object.
  record::Record finish(std::optional<std::string> interruption = std::nullopt);

  /// The monitor's samples from the start of the clock on, or those of the warm-up if the run ended
  /// before the clock started; null if there was no monitor or the warm-up did not begin. After
  /// finish().
  [[nodiscard]] const memory::SampleSeries* samples() const;
  /// Writes the trace of the period that samples() covers, atomically. Does nothing unless a trace
  /// was asked for and the warm-up began. After finish(). @throws Error if the write fails.
  void write_trace(const std::filesystem::path& path) const;
  /// When those samples begin: at the first measured batch, or at the warm-up. After finish().
  [[nodiscard]] std::optional<TimePoint> start_time() const;

 private:
  class Trace;

  [[nodiscard]] std::vector<engine::Observer*> engine_observers() const;
  [[nodiscard]] std::vector<train::LoopObserver*> loop_observers() const;
  void measure(const std::stop_token& stop);
  void begin_warmup();
  void start_clock();
  void note_issued();
  void stop_clock();
  [[nodiscard]] memory::MemoryMonitor* present_monitor() const;
  [[nodiscard]] std::unique_ptr<memory::MemoryMonitor> make_monitor() const;
  void show_progress();
  [[nodiscard]] record::CellProgress progress() const;

  config::ExperimentConfig config_;
  Factories factories_;
  RunOptions options_;
  ThreadPlacement placement_;
  std::unique_ptr<Trace> trace_;  ///< Null: none is wanted. Outlives the device that it observes.
  std::unique_ptr<train::LoopObserver> loop_ranges_;  ///< Null: none. Outlives the experiment.
  std::shared_ptr<engine::Observer> experiment_observer_{};  ///< Null: none. Outlives the device.
  DeviceSession device_;
  std::unique_ptr<Experiment> experiment_;
  // Null if the config asks for no monitor. Made before the front end is pinned, because their
  // threads inherit its CPU affinity.
  std::unique_ptr<memory::MemoryMonitor> warmup_monitor_;  ///< Gone once the clock starts.
  std::unique_ptr<memory::MemoryMonitor> monitor_;

  std::atomic<bool> is_configured_{false};  ///< The device; from then on any thread may query it.

  mutable std::mutex mutex_{};
  std::optional<TimePoint> begun_{};  ///< When the warm-up began. mutex_ guards this and all below.
  recording::RunTimeline timeline_{};
  std::optional<double> busy_seconds_{};  ///< Of the device, until it was idle.
  std::optional<train::Failure> failure_{};
  std::jthread progress_view_{};    ///< Reads the members above.
  std::jthread progress_writer_{};  ///< Likewise.
};

}  // namespace runahead::experiment
