#pragma once

#include <utility>

#include "core/train/policies/sync_policy.h"

namespace runahead::train {

/// Waits after every n-th batch.
class EveryNWaiter final : public Waiter {
 public:
  EveryNWaiter(std::int64_t n, Wait wait) : n_(n), wait_(std::move(wait)) {}
  void after_batch(const IssuedBatch& batch) override {
    if (++batches_since_wait_ < n_) return;
    batches_since_wait_ = 0;
    wait_(batch);
  }

 private:
  std::int64_t n_;
  Wait wait_;
  std::int64_t batches_since_wait_ = 0;
};

}  // namespace runahead::train
