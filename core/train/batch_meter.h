#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/clock.h"
#include "core/memory/probe.h"
#include "core/train/back_end.h"
#include "core/train/batch.h"

namespace runahead::train {

/// Batches so far. A batch is in flight from the end of its issue until its last operation
/// finished.
struct BatchCounts {
  std::uint64_t issued = 0;
  std::uint64_t finished = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t in_flight_peak = 0;   ///< Counted at every change, never sampled.
  std::uint64_t kept_bytes = 0;       ///< Of the batches in flight: see Batch::kept_bytes.
  std::uint64_t kept_bytes_peak = 0;  ///< As in_flight_peak.
};

/// When the front end had issued a batch and when its last operation had finished.
struct BatchTimes {
  std::vector<TimePoint> issued{};    ///< In the order of issue.
  std::vector<TimePoint> finished{};  ///< Of the batches that have finished, in the same order.
};

/// Counts batches through the back end, by one mark a batch. It outlives its marks: what they write
/// to is shared with them.
class BatchMeter {
 public:
  /// `back_end` must outlive the meter.
  explicit BatchMeter(BackEnd& back_end);

  /// To be called by the front end when it has issued the last operation of `batch`. Never blocks.
  /// The batch's memory is kept until that operation has finished, as a loop that holds its batch
  /// keeps it: a batch in flight holds its bytes, whole.
  void batch_issued(Batch batch);

  /// Thread-safe. On a device that is polled (`cuda`), `finished` is as of the last mark or wait.
  [[nodiscard]] BatchCounts counts() const;
  /// Thread-safe.
  [[nodiscard]] BatchTimes times() const;

  /// Columns batches_in_flight, batches_issued, batches_finished and kept_bytes, which is empty
  /// until a batch has kept something, as on `cpu` and `acpu` none does; may outlive the meter.
  [[nodiscard]] std::unique_ptr<memory::Probe> make_probe() const;

 private:
  class State;
  class BatchProbe;

  BackEnd& back_end_;
  std::shared_ptr<State> state_;
};

}  // namespace runahead::train
