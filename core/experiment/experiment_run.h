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
#include <vector>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/experiment/device_session.h"
#include "core/experiment/experiment.h"
#include "core/experiment/factories.h"
#include "core/experiment/failure.h"
#include "core/experiment/progress_view.h"
#include "core/experiment/run_trace.h"
#include "core/experiment/thread_placement.h"
#include "core/memory/memory_monitor.h"
#include "core/record/progress_writer.h"
#include "core/record/record.h"
#include "core/recording/run_timeline.h"

namespace runahead::experiment {

struct RunOptions {
  std::int64_t repeat = 0;
  Json axes = Json::object();                    ///< Of a sweep's cell, for the record.
  std::optional<std::string> malloc_settings{};  ///< What memory::configure_malloc returned.
  std::optional<std::uint64_t>
      memory_limit_bytes{};      ///< What the process may take; bounds the guard.
  std::ostream* sink = nullptr;  ///< Where the wait `print` prints; required, outlives the run.
  ProgressOutput progress{};     ///< Where it shows how far it is, until finish().
  /// Where it writes how far it is, until finish(), every so often; empty: nowhere.
  std::filesystem::path progress_file{};
  double progress_file_seconds = 0.5;
  bool trace = false;  ///< Record what write_trace writes.
  // For the record's environment, from a program that is linked to CUDA:
  std::optional<std::string> cuda{};  ///< Version of the CUDA toolkit.
  std::optional<std::string> gpu{};   ///< Name of the GPU.
};

/// One run of one experiment in this process, and the record of it.
///
/// The thread that calls execute() is the front end: it is pinned as the config says, and stays so.
class ExperimentRun {
 public:
  /// Finds the device and checks what the config asks for; starts nothing.
  /// @throws UnavailableError if the device is not there, ConfigError for what is not built.
  ExperimentRun(config::ExperimentConfig config, Factories factories, RunOptions options);
  /// Waits for what is still in flight.
  ~ExperimentRun();
  ExperimentRun(const ExperimentRun&) = delete;
  ExperimentRun& operator=(const ExperimentRun&) = delete;

  /// Runs the experiment. Whatever fails once the work has begun becomes the record's status; so
  /// does a stop: the front end looks at it before each batch, and then waits for nothing more.
  /// @throws ConfigError, UnavailableError as the constructor. To be called once.
  void execute(std::stop_token stop = {});

  /// Ends the monitor and returns the record of what was measured so far. After execute(); or, with
  /// `interruption`, on any thread while the front end is stuck in a wait: then the record is that
  /// of an interrupted run, and the process must end without destroying this object.
  record::Record finish(std::optional<std::string> interruption = std::nullopt);

  /// The monitor's samples from the start of the clock on, or, of a run that ended before it, those
  /// of the warm-up; null if there was no monitor or nothing began. After finish().
  [[nodiscard]] const memory::SampleSeries* samples() const;
  /// Writes the trace of the same stretch of time, whole or not at all; nothing unless it was asked
  /// for and something began. After finish(). @throws Error if it cannot.
  void write_trace(const std::filesystem::path& path) const;
  /// When these samples begin: with the first measured batch, or with the warm-up. After finish().
  [[nodiscard]] std::optional<TimePoint> start_time() const;

 private:
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
  [[nodiscard]] Progress progress() const;
  [[nodiscard]] record::CellProgress cell_progress() const;

  config::ExperimentConfig config_;
  Factories factories_;
  RunOptions options_;
  ThreadPlacement placement_;
  std::unique_ptr<RunTrace>
      trace_;  ///< Null: none is wanted. Outlives the device that it observes.
  std::unique_ptr<train::LoopObserver> loop_ranges_;  ///< Null: none. Outlives the experiment.
  std::shared_ptr<engine::Observer> experiment_observer_{};  ///< Null: none. As trace_.
  DeviceSession device_;
  std::unique_ptr<Experiment> experiment_;
  // Null: the config wants none. Made before the front end is pinned: their threads inherit that.
  std::unique_ptr<memory::MemoryMonitor> warmup_monitor_;  ///< Gone once the clock starts.
  std::unique_ptr<memory::MemoryMonitor> monitor_;

  std::atomic<bool> is_configured_{false};  ///< The device: from then on any thread may ask it.

  mutable std::mutex mutex_{};
  std::optional<TimePoint> begun_{};  ///< The warm-up. Guarded by mutex_, as what follows.
  recording::RunTimeline timeline_{};
  std::optional<Failure> failure_{};
  std::unique_ptr<ProgressView> progress_{};  ///< It looks at all that stands above.
  std::unique_ptr<record::ProgressWriter> progress_writer_{};  ///< As progress_.
};

}  // namespace runahead::experiment
