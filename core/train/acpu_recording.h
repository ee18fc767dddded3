#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "core/base/clock.h"
#include "core/device/storage/tensor_class.h"
#include "core/engine/observer.h"
#include "core/record/record.h"
#include "core/recording/loop_recording.h"
#include "core/train/busy_meter.h"

namespace runahead::train {

/// A LoopRecording of `acpu`. Marks of the engine report finished batches, and the engine is
/// observed during the recording.
class AcpuRecording {
 public:
  /// `acpu` must be registered. @throws as LoopRecording does.
  explicit AcpuRecording(recording::LoopOptions options);
  /// Waits for all work unless write() has.
  ~AcpuRecording();
  AcpuRecording(const AcpuRecording&) = delete;
  AcpuRecording& operator=(const AcpuRecording&) = delete;

  /// Waits for all work and resets the device's peaks. @throws UsageError during another recording;
  /// what device::synchronize throws.
  void start();
  /// Never waits for an operation. Several threads may take turns; t1 is then null.
  void batch(std::optional<std::uint64_t> examples);
  /// Sets the class of everything allocated from now on until stop(): "parameters", "inputs",
  /// "activations", "gradients", "optimizer_state".
  void set_class(const std::string& name);
  void end_issue();
  void stop();
  /// From now on no batch counts as finished: the device drops what is queued.
  void end_counting();
  /// After an error, waits for everything in flight and drops further errors; after
  /// end_counting(), leaves to the device what is in flight.
  void write(recording::LoopEnd end);

 private:
  /// The state of the front end when it had issued a batch.
  struct Place {
    TimePoint time{};
    double waited_seconds = 0.0;
  };

  [[nodiscard]] std::uint64_t own_bytes() const;
  void report(record::Record& record);
  void leave_device() noexcept;

  std::shared_ptr<BusyMeter> busy_meter_ = std::make_shared<BusyMeter>();
  std::shared_ptr<recording::LoopRecording> loop_{};
  std::shared_ptr<engine::Observer> observer_{};  ///< Null if the device is not observed.
  std::optional<device::TensorClassScope> tensor_class_{};
  std::uint64_t claimed_bytes_at_start_ = 0;
  std::optional<Place> first_{};
  Place last_{};
  std::thread::id front_end_{};  ///< The thread that counted the first batch.
  bool has_several_front_ends_ = false;
  double busy_seconds_ = 0.0;  ///< Until stop().
  bool has_dropped_ = false;   ///< Whether end_counting() was called.
  record::Record counted_{};   ///< What report_acpu() counts, whatever the program resets.
};

}  // namespace runahead::train
