#pragma once

#include <torch/types.h>

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/train/batch_meter.h"
#include "core/train/batch_source.h"
#include "core/train/loop_observer.h"

namespace runahead::train {

/// The results of a loop. The losses are detached scalars on the device, not read: reading waits.
struct LoopTrace {
  torch::Tensor first_loss{};          ///< Undefined if no batch was issued.
  torch::Tensor last_loss{};           ///< Likewise.
  std::int64_t batches = 0;            ///< Batches issued.
  std::int64_t examples = 0;           ///< Examples in those batches.
  std::uint64_t batch_bytes = 0;       ///< Inputs and targets of the largest batch.
  std::uint64_t batch_kept_bytes = 0;  ///< The most of any; see Batch::kept_bytes.

  /// nullopt if no batch was issued.
  [[nodiscard]] std::optional<double> mean_batch_size() const {
    if (batches == 0) return std::nullopt;
    return static_cast<double>(examples) / static_cast<double>(batches);
  }
};

/// A loop over batches: it takes each batch, issues its work, and lets the sync policy wait. It
/// keeps no reference to a batch after issuing it, so that only the queue holds the batch's memory.
class BatchLoop {
 public:
  /// All must outlive the loop. @param observers  In calling order.
  BatchLoop(BatchSource& source, Waiter& waiter, std::vector<LoopObserver*> observers)
      : source_(source), waiter_(waiter), observers_(std::move(observers)) {}
  virtual ~BatchLoop() = default;
  BatchLoop(const BatchLoop&) = delete;
  BatchLoop& operator=(const BatchLoop&) = delete;

  /// Issues `batches` batches, or fewer when `stop` is requested (checked before each batch), and
  /// counts each in `meter`. Does not wait at the end.
  /// @throws whatever issuing, a wait or an observer throws; `trace` then covers what came before.
  void run(std::int64_t batches, BatchMeter& meter, LoopTrace& trace, std::stop_token stop = {});

 protected:
  /// Issues all work of a batch.
  /// @return a detached scalar on the device for the policy to wait for, such as a training step's
  /// loss.
  [[nodiscard]] virtual torch::Tensor issue(const Batch& batch) = 0;
  void enter(LoopPhase phase);

 private:
  [[nodiscard]] Batch next_batch();

  BatchSource& source_;
  Waiter& waiter_;
  std::vector<LoopObserver*> observers_;
};

}  // namespace runahead::train
