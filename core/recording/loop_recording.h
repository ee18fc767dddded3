#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/memory/memory_monitor.h"
#include "core/record/record.h"
#include "core/recording/batch_counter.h"
#include "core/recording/run_folder.h"
#include "core/recording/run_timeline.h"
#include "core/trace/trace_recorder.h"

namespace runahead::recording {

struct LoopOptions {
  std::filesystem::path folder{};
  std::vector<std::string> command{};  ///< What runs in this process, for the record.
  double rate_hz = 100.0;              ///< Samples a second.
  bool traces = true;
  int executors = 0;                   ///< As TraceRecorder.
  std::optional<std::string> torch{};  ///< Its version, for the record's environment.
};

/// How the loop ended, and where it ran.
struct LoopEnd {
  record::Status status = record::Status::kOk;
  std::optional<std::string> error{};
  std::string device{};
  bool executes_at_issue = false;
  std::uint64_t own_bytes = 0;        ///< As BatchLoop.
  std::optional<int> workers{};       ///< Of `acpu`.
  std::optional<std::string> cuda{};  ///< As record::Environment.
  std::optional<std::string> gpu{};
};

/// A recording of a loop over batches that is not this project's own, in this process: the record,
/// samples and trace of a run, in a folder. Knows no torch; what a device counts is given to it.
///
/// One thread makes, starts and finishes it; batches may be issued by several. In a process that
/// was forked from it, it may only be destroyed, and leaves what it had.
class LoopRecording {
 public:
  /// Makes the folder and whatever takes memory; starts nothing.
  /// @param probes  Of the device; may be none.
  /// @throws ConfigError and Error as RunFolder does, Error if the folder cannot be written to,
  /// UsageError for a rate out of range.
  LoopRecording(LoopOptions options, std::vector<std::unique_ptr<memory::Probe>> probes);
  ~LoopRecording();
  LoopRecording(const LoopRecording&) = delete;
  LoopRecording& operator=(const LoopRecording&) = delete;

  /// Observes the engine's operations; null if no trace is wanted.
  [[nodiscard]] trace::TraceRecorder* trace_recorder() noexcept { return trace_.get(); }
  /// Call its `finish` when a batch has finished.
  [[nodiscard]] const std::shared_ptr<BatchCounter>& batches() const noexcept { return batches_; }

  /// The clock and the monitor start. Nothing may be in flight.
  void start();
  /// Everything of a batch was issued, and nothing of the next one.
  /// @param examples  In the batch; nullopt: not known, and then their rate is not measured.
  void batch_issued(std::optional<std::uint64_t> examples, std::uint64_t kept_bytes);
  /// No more batches come; what is in flight is waited for next.
  void end_issue();
  /// The device is idle: the clock and the monitor stop.
  void stop();
  /// Writes what was measured between start() and stop().
  /// @param report_device  Fills in what the device has counted. @throws Error if a file cannot be
  /// written; the record is, where it can.
  void write(const LoopEnd& end, const std::function<void(record::Record&)>& report_device);

 private:
  [[nodiscard]] record::Record make_record(const LoopEnd& end) const;
  void begin_batch(TimePoint time);

  pid_t process_id_;
  LoopOptions options_;
  std::unique_ptr<RunFolder> folder_;
  std::shared_ptr<BatchCounter> batches_ = std::make_shared<BatchCounter>();
  std::unique_ptr<trace::TraceRecorder> trace_{};
  std::unique_ptr<memory::MemoryMonitor> monitor_{};
  RunTimeline timeline_{};

  std::mutex mutex_{};  ///< Guards what follows.
  std::optional<std::uint64_t> examples_ = 0;
};

}  // namespace runahead::recording
