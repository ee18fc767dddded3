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

#include "core/memory/memory_monitor.h"
#include "core/record/record.h"
#include "core/recording/batch_counter.h"
#include "core/recording/run_folder.h"
#include "core/recording/run_timeline.h"
#include "core/trace/trace_recorder.h"

namespace runahead::recording {

struct LoopOptions {
  std::filesystem::path folder{};
  std::vector<std::string> command{};  ///< Command of this process, for the record.
  double rate_hz = 100.0;              ///< Samples per second.
  bool traces = true;
  int executors = 0;                   ///< See TraceRecorder.
  std::optional<std::string> torch{};  ///< Version of torch, for the record's environment.
};

/// How the loop ended, and where it ran.
struct LoopEnd {
  record::Status status = record::Status::kOk;
  std::optional<std::string> error{};
  std::string device{};
  bool executes_at_issue = false;
  std::uint64_t own_bytes = 0;        ///< See BatchLoop.
  std::optional<int> workers{};       ///< Number of workers, for `acpu`.
  std::optional<std::string> cuda{};  ///< See record::Environment.
  std::optional<std::string> gpu{};
};

/// Records a loop over batches in this process that is not this project's own: writes the record,
/// samples and trace of a run to a folder. Does not depend on torch; the caller supplies what a
/// device counts.
///
/// One thread creates, starts and finishes it; several threads may issue batches. In a forked
/// process it may only be destroyed, which leaves the folder as it is.
class LoopRecording {
 public:
  /// Creates the folder and allocates all its memory; starts nothing.
  /// @param probes  Probes of the device; may be empty.
  /// @throws ConfigError and Error as RunFolder does, Error if the folder cannot be written to,
  /// UsageError for a rate out of range.
  LoopRecording(LoopOptions options, std::vector<std::unique_ptr<memory::Probe>> probes);
  ~LoopRecording();
  LoopRecording(const LoopRecording&) = delete;
  LoopRecording& operator=(const LoopRecording&) = delete;

  /// The observer of the engine's operations; null without a trace.
  [[nodiscard]] trace::TraceRecorder* trace_recorder() noexcept { return trace_.get(); }
  /// Call its `finish` when a batch has finished.
  [[nodiscard]] const std::shared_ptr<BatchCounter>& batches() const noexcept { return batches_; }

  /// Starts the clock and the monitor. Nothing may be in flight.
  void start();
  /// Call when all of a batch was issued, and nothing of the next one.
  /// @param examples  Number in the batch; if nullopt (unknown), their rate is not measured.
  void batch_issued(std::optional<std::uint64_t> examples, std::uint64_t kept_bytes);
  /// Call after the last batch, before waiting for everything in flight.
  void end_issue();
  /// Stops the clock and the monitor. Call when the device is idle.
  void stop();
  /// Writes what was measured between start() and stop().
  /// @param report_device  Fills in what the device has counted.
  /// @throws Error if a file cannot be written; the record is still written if possible.
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

  std::mutex mutex_{};  ///< Guards the members below.
  std::optional<std::uint64_t> examples_ = 0;
};

}  // namespace runahead::recording
