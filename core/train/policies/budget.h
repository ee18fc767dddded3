#pragma once

#include <deque>
#include <string>

#include "core/train/policies/sync_policy.h"

namespace runahead::train {

/// Keeps the bytes of batches in flight within a budget on a device that does not hold operations
/// at admission (`cuda`). Before a batch is issued, it waits for the oldest batches until those
/// still in flight, plus one of the last batch's size, fit. A batch that keeps more than the budget
/// runs alone, with one notice. Overshoot is at most the growth in kept bytes from one batch to the
/// next.
///
/// It counts the bytes that a batch keeps (Batch::kept_bytes) from the end of its issue until its
/// last operation has finished: its staging on the host (pinned memory that a copy in flight may
/// still read) and deferred frees on the device (memory that a second stream has used). If copies
/// block, as from pageable memory, if buffers are reused, or if one stream does everything, a batch
/// keeps nothing and never waits. It does not count memory that one stream reuses in order
/// (activations, gradients, workspaces), which does not grow with the batches in flight; memory
/// that the program itself holds; or batches prepared ahead, whose number `data.prefetch` bounds.
class BudgetWaiter final : public Waiter {
 public:
  /// @param key  The config key that sets the budget, for the notice.
  BudgetWaiter(std::uint64_t bytes, MarkSource& back_end, Notice on_notice, std::string key);
  void before_batch() override;
  void after_batch(const IssuedBatch& batch) override;

 private:
  struct InFlight {
    std::unique_ptr<Mark> mark{};
    std::uint64_t bytes = 0;
  };

  void drop_oldest();
  void note_oversize();

  std::uint64_t bytes_;  ///< The budget.
  MarkSource& back_end_;
  Notice on_notice_;
  std::string key_;
  std::deque<InFlight> in_flight_{};  ///< Those that keep bytes, oldest first; pruned per batch.
  std::uint64_t in_flight_bytes_ = 0;
  std::uint64_t last_bytes_ = 0;
  bool has_noted_oversize_ = false;
};

}  // namespace runahead::train
