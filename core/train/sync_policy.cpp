#include "core/train/sync_policy.h"

#include <string>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"

namespace runahead::train {

EveryNPolicy::EveryNPolicy(std::int64_t n, Wait wait) : n_(n), wait_(std::move(wait)) {
  RUNAHEAD_REQUIRE(n_ >= 1, "n is " + std::to_string(n_) + ", must be at least 1");
  RUNAHEAD_REQUIRE(wait_, "the wait is empty");
}

void EveryNPolicy::after_batch(const torch::Tensor& loss) {
  if (++batches_since_wait_ < n_) return;
  batches_since_wait_ = 0;
  wait_(loss);
}

WindowPolicy::WindowPolicy(std::int64_t batches, BackEnd& back_end)
    : batches_(static_cast<std::size_t>(batches)), back_end_(back_end) {
  RUNAHEAD_REQUIRE(batches >= 1,
                   "the window is " + std::to_string(batches) + " batches, must be at least 1");
}

void WindowPolicy::before_batch() {
  if (in_flight_.size() < batches_) return;
  in_flight_.front()->wait();
  in_flight_.pop_front();
}

void WindowPolicy::after_batch(const torch::Tensor&) { in_flight_.push_back(back_end_.mark()); }

void AdaptivePolicy::before_batch() {
  if (has_begun_) return;
  has_begun_ = true;
  depth_.begin(Clock::now());
}

void AdaptivePolicy::after_batch(const torch::Tensor&) { depth_.end_batch(Clock::now()); }

std::unique_ptr<SyncPolicy> make_sync_policy(const config::SyncConfig& config, BackEnd& back_end,
                                             std::ostream& sink, AdaptiveDepth* depth) {
  using config::SyncPolicyKind;
  switch (config.policy) {
    case SyncPolicyKind::kNone:
    case SyncPolicyKind::kBudget:
      return std::make_unique<NoWaitPolicy>();
    case SyncPolicyKind::kEveryBatch:
      return std::make_unique<EveryNPolicy>(1, make_wait(config.wait, back_end, sink));
    case SyncPolicyKind::kEveryN:
      return std::make_unique<EveryNPolicy>(config.n, make_wait(config.wait, back_end, sink));
    case SyncPolicyKind::kWindow:
      return std::make_unique<WindowPolicy>(config.batches, back_end);
    case SyncPolicyKind::kAdaptive:
      if (depth == nullptr) return std::make_unique<NoWaitPolicy>();
      return std::make_unique<AdaptivePolicy>(*depth);
  }
  throw UsageError("make_sync_policy: the policy is out of its range");
}

}  // namespace runahead::train
