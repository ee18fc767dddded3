#include "core/train/sync_policy.h"

#include <string>
#include <utility>

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/base/error.h"

namespace runahead::train {

EveryNPolicy::EveryNPolicy(std::int64_t n, Wait wait) : n_(n), wait_(std::move(wait)) {
  RUNAHEAD_REQUIRE(n_ >= 1, "n is " + std::to_string(n_) + ", must be at least 1");
  RUNAHEAD_REQUIRE(wait_, "the wait is empty");
}

void EveryNPolicy::after_batch(const IssuedBatch& batch) {
  if (++batches_since_wait_ < n_) return;
  batches_since_wait_ = 0;
  wait_(batch.loss);
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

void WindowPolicy::after_batch(const IssuedBatch&) { in_flight_.push_back(back_end_.mark()); }

BudgetPolicy::BudgetPolicy(std::uint64_t bytes, BackEnd& back_end, Notice on_notice,
                           std::string key)
    : bytes_(bytes), back_end_(back_end), on_notice_(std::move(on_notice)), key_(std::move(key)) {
  RUNAHEAD_REQUIRE(bytes_ >= 1, "the budget is 0 bytes, must be at least 1");
}

void BudgetPolicy::before_batch() {
  while (!in_flight_.empty() && in_flight_.front().mark->is_finished()) drop_oldest();
  while (!in_flight_.empty() && in_flight_bytes_ + last_bytes_ > bytes_) {
    if (last_bytes_ > bytes_) note_oversize();
    in_flight_.front().mark->wait();
    drop_oldest();
  }
}

void BudgetPolicy::after_batch(const IssuedBatch& batch) {
  last_bytes_ = batch.kept_bytes;
  if (batch.kept_bytes == 0) return;
  in_flight_.push_back({.mark = back_end_.mark(), .bytes = batch.kept_bytes});
  in_flight_bytes_ += batch.kept_bytes;
}

void BudgetPolicy::drop_oldest() {
  in_flight_bytes_ -= in_flight_.front().bytes;
  in_flight_.pop_front();
}

void BudgetPolicy::note_oversize() {
  if (std::exchange(has_noted_oversize_, true) || !on_notice_) return;
  on_notice_(key_ + ": found batches that keep " + format_bytes(last_bytes_) +
             " in flight with a budget of " + format_bytes(bytes_) +
             ": each waits until the one before has finished; for two in flight set " +
             std::to_string(2 * last_bytes_) + " or more");
}

void AdaptivePolicy::before_batch() {
  if (has_begun_) return;
  has_begun_ = true;
  depth_.begin(Clock::now());
}

void AdaptivePolicy::after_batch(const IssuedBatch&) { depth_.end_batch(Clock::now()); }

AdaptiveWindowPolicy::AdaptiveWindowPolicy(AdaptiveWindow& window, std::uint64_t ceiling_bytes,
                                           BackEnd& back_end, Notice on_notice)
    : window_(window),
      ceiling_(ceiling_bytes, back_end, std::move(on_notice), "/sync/ceiling"),
      back_end_(back_end) {}

void AdaptiveWindowPolicy::before_batch() {
  ceiling_.before_batch();
  drop_finished();
  was_held_ = false;
  while (in_flight_.size() >= window_.batches()) {
    was_held_ = true;
    in_flight_.front()->wait();
    in_flight_.pop_front();
  }
}

void AdaptiveWindowPolicy::after_batch(const IssuedBatch& batch) {
  ceiling_.after_batch(batch);
  drop_finished();
  window_.note_batch({.was_held = was_held_, .in_reserve = in_flight_.size()});
  in_flight_.push_back(back_end_.mark());
}

void AdaptiveWindowPolicy::drop_finished() {
  while (!in_flight_.empty() && in_flight_.front()->is_finished()) in_flight_.pop_front();
}

std::unique_ptr<SyncPolicy> make_sync_policy(const config::SyncConfig& config,
                                             const PolicySurroundings& surroundings) {
  using config::SyncPolicyKind;
  auto& [back_end, sink, depth, window, on_notice] = surroundings;
  switch (config.policy) {
    case SyncPolicyKind::kNone:
      return std::make_unique<NoWaitPolicy>();
    case SyncPolicyKind::kEveryBatch:
      return std::make_unique<EveryNPolicy>(1, make_wait(config.wait, back_end, sink));
    case SyncPolicyKind::kEveryN:
      return std::make_unique<EveryNPolicy>(config.n, make_wait(config.wait, back_end, sink));
    case SyncPolicyKind::kWindow:
      return std::make_unique<WindowPolicy>(config.batches, back_end);
    case SyncPolicyKind::kBudget:
      if (back_end.holds_at_admission()) return std::make_unique<NoWaitPolicy>();
      return std::make_unique<BudgetPolicy>(config.bytes, back_end, on_notice);
    case SyncPolicyKind::kAdaptive:
      if (depth != nullptr) return std::make_unique<AdaptivePolicy>(*depth);
      if (window == nullptr) return std::make_unique<NoWaitPolicy>();
      return std::make_unique<AdaptiveWindowPolicy>(*window, config.ceiling, back_end, on_notice);
  }
  throw UsageError("make_sync_policy: the policy is out of its range");
}

}  // namespace runahead::train
