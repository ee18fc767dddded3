#pragma once

#include <c10/core/Device.h>
#include <sys/types.h>

#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>

namespace runahead {

struct RecordingOptions {
  bool traces = true;      ///< Whether to write trace.json, which takes 18 MB of memory.
  double rate_hz = 100.0;  ///< Memory samples per second, from 0.001 to 10000.
};

/// Records a loop over batches of any program, as the toolkit records its own runs:
///
///     runahead::Recording recording(device, "runs/mine");
///     for (...) {
///       ...                                  // forward, backward, optimiser step
///       recording.batch(inputs.size(0));     // before a Pacer's after_batch
///     }
///     recording.finish();
///
/// The folder then has record.json, samples.csv and trace.json, which `runahead report runs/mine`
/// draws: issue against execution, batches in flight, and memory. On `acpu`, memory is counted by
/// class within a device::TensorClassScope, and the device's peaks are reset at the start. On a
/// device with events (`cuda`), the device's own memory is not sampled.
///
/// Used by one front-end thread. At most one recording of `acpu` at a time. Configure the device
/// and create pacers before it, and finish it before device::finish(). In a forked process it does
/// nothing.
class Recording {
 public:
  /// Waits for the device, and starts. `acpu` must be registered.
  /// @param folder  Created with its parents if missing; must not contain results.
  /// @throws ConfigError and Error for the folder, UsageError for a rate out of range and during
  /// another recording of `acpu`, c10::Error for a device without streams and events, and the error
  /// of an operation issued earlier.
  Recording(c10::Device device, std::filesystem::path folder, const RecordingOptions& options = {});
  /// Finishes if nothing else has, and prints an error instead of throwing it. While an exception
  /// unwinds the stack, the record is that of a failed loop.
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Counts a batch. Call it when all of the batch was issued and nothing of the next, and not
  /// while a CUDA graph is captured. Never waits.
  /// @param examples  Number in the batch; if nullopt in any batch, their rate is not measured.
  /// @param kept_bytes  Host memory that the batch keeps until its last operation has finished;
  /// unused on `acpu`, which counts it itself.
  /// @throws UsageError after the end and for a negative number; on a device with events, the error
  /// of an operation issued earlier.
  void batch(std::optional<std::int64_t> examples = std::nullopt, std::uint64_t kept_bytes = 0);

  /// Waits for the device, writes the files and ends the recording; later calls do nothing.
  /// @throws the error of an operation of the loop, which the record has, too; otherwise Error if a
  /// file cannot be written.
  void finish();

  /// The same for a loop that `error` has ended, as the record then says. Throws nothing: it prints
  /// the error of an operation that failed before, and that of a file that cannot be written. For a
  /// catch block: `fail(std::current_exception())`.
  void fail(const std::exception_ptr& error) noexcept;

 private:
  class Loop;
  class AcpuLoop;
  class EventLoop;

  [[nodiscard]] bool has_ended() const noexcept;
  /// Ends a loop that failed because of `error`, or else as its device says. `unwinds` if an
  /// exception that is not known has ended it. @return the error of an operation, if any.
  std::exception_ptr end(const std::exception_ptr& error, bool unwinds);

  const c10::Device device_;
  const pid_t process_id_;
  const int exceptions_at_start_;
  std::unique_ptr<Loop> loop_{};  ///< Null after the end.
};

}  // namespace runahead
