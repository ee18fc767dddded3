#pragma once

#include <memory>

#include "core/memory/probe.h"
#include "core/recording/batch_counter.h"
#include "core/train/back_end.h"
#include "core/train/batch.h"

namespace runahead::train {

using recording::BatchCounts;

/// Counts batches through the back end, with one mark per batch. The marks may outlive the meter:
/// they share ownership of the counter that they write to.
class BatchMeter {
 public:
  /// `back_end` must outlive the meter.
  explicit BatchMeter(BackEnd& back_end)
      : back_end_(back_end), counter_(std::make_shared<recording::BatchCounter>()) {}

  /// Called by the front end after it has issued the last operation of `batch`. Never blocks. The
  /// batch's memory is kept until that operation has finished, as by a loop that holds its batch: a
  /// batch in flight holds all of its bytes.
  void batch_issued(Batch batch);

  /// Thread-safe. On a device that is polled (`cuda`), `finished` is as of the last mark or wait.
  [[nodiscard]] BatchCounts counts() const { return counter_->counts(); }
  /// The counter itself, for a report.
  [[nodiscard]] const recording::BatchCounter& counter() const noexcept { return *counter_; }

  /// recording::make_batch_probe; may outlive the meter.
  [[nodiscard]] std::unique_ptr<memory::Probe> make_probe() const {
    return recording::make_batch_probe(counter_);
  }

 private:
  BackEnd& back_end_;
  std::shared_ptr<recording::BatchCounter> counter_;
};

}  // namespace runahead::train
