#include "core/train/loss_log.h"

#include <ATen/ops/stack.h>

#include <string>
#include <utility>

#include "core/base/error.h"

namespace runahead::train {

LossLog::LossLog(std::int64_t every, OnRead on_read)
    : every_(static_cast<std::size_t>(every)), on_read_(std::move(on_read)) {
  RUNAHEAD_REQUIRE(every >= 1, "losses are read every " + std::to_string(every) +
                                   " batches, must be at least 1");
}

void LossLog::after_wait(const IssuedBatch& batch) {
  kept_.push_back(*batch.loss);
  if (kept_.size() < every_) return;
  const torch::Tensor losses = at::stack(kept_);
  kept_.clear();
  if (means_.size() == kMostMeans) means_.erase(means_.begin());
  means_.push_back(losses.to(torch::kCPU, torch::kFloat64).mean().item<double>());
  if (on_read_) on_read_(means_);
}

}  // namespace runahead::train
