#include "core/train/loss_log.h"

#include <ATen/ops/stack.h>

#include <string>

#include "core/base/error.h"

namespace runahead::train {
namespace {

std::size_t checked(std::int64_t every) {
  RUNAHEAD_REQUIRE(every >= 1, "losses are read every " + std::to_string(every) +
                                   " batches, must be at least 1");
  return static_cast<std::size_t>(every);
}

}  // namespace

LossLog::LossLog(std::int64_t every) : every_(checked(every)) {}

bool LossLog::add(const torch::Tensor& loss) {
  kept_.push_back(loss);
  if (kept_.size() < every_) return false;
  read();
  return true;
}

void LossLog::read() {
  const torch::Tensor losses = at::stack(kept_);
  kept_.clear();
  if (means_.size() == kMostMeans) means_.erase(means_.begin());
  means_.push_back(losses.to(torch::kCPU, torch::kFloat64).mean().item<double>());
}

void LossLogger::after_wait(const IssuedBatch& batch) {
  if (log_.add(*batch.loss) && on_read_) on_read_(log_.means());
}

}  // namespace runahead::train
