#include "core/train/policies/budget.h"

#include <algorithm>
#include <utility>

#include "core/base/bytes.h"

namespace runahead::train {
namespace {

/// Bounds bytes: on `acpu` the device's committed bytes, at admission; on `cuda` the bytes that
/// batches in flight keep, using a BudgetWaiter.
class BudgetPolicy final : public CopyablePolicy<BudgetPolicy> {
 public:
  [[nodiscard]] std::string name() const override { return "budget"; }
  void describe(Fields& fields) override {
    fields.bytes({"bytes",
                  "Most committed bytes on acpu, where it sets /acpu/limit/bytes; on cuda most "
                  "bytes that batches in flight keep: their staging, deferred frees."},
                 bytes_, {1, kMostBytes});
  }
  [[nodiscard]] std::string label() const override { return "budget of " + format_bytes(bytes_); }
  [[nodiscard]] std::unique_ptr<Waiter> start(const PolicyContext& context) const override {
    if (context.back_end.holds_at_admission()) return std::make_unique<Waiter>();
    return std::make_unique<BudgetWaiter>(bytes_, context.back_end, context.on_notice,
                                          "/sync/bytes");
  }
  /// A budget that the loop enforces is a window of the batches that fit into it; batches that keep
  /// nothing never wait.
  [[nodiscard]] CostShape cost_shape(const CostQuestion& question) const override {
    if (!question.loop_keeps_budget || question.batch_kept_bytes == 0) return {};
    const auto batches = static_cast<std::int64_t>(bytes_ / question.batch_kept_bytes);
    const std::int64_t most = std::max<std::int64_t>(question.batches, 1);
    return {.batches_in_flight = std::clamp(batches, std::int64_t{1}, most)};
  }
  [[nodiscard]] std::optional<std::uint64_t> budget_bytes() const override { return bytes_; }

 private:
  std::uint64_t bytes_ = std::uint64_t{256} << 20;
};

}  // namespace

BudgetWaiter::BudgetWaiter(std::uint64_t bytes, MarkSource& back_end, Notice on_notice,
                           std::string key)
    : bytes_(bytes), back_end_(back_end), on_notice_(std::move(on_notice)), key_(std::move(key)) {}

void BudgetWaiter::before_batch() {
  while (!in_flight_.empty() && in_flight_.front().mark->is_finished()) drop_oldest();
  while (!in_flight_.empty() && in_flight_bytes_ + last_bytes_ > bytes_) {
    if (last_bytes_ > bytes_) note_oversize();
    in_flight_.front().mark->wait();
    drop_oldest();
  }
}

void BudgetWaiter::after_batch(const IssuedBatch& batch) {
  last_bytes_ = batch.kept_bytes;
  if (batch.kept_bytes == 0) return;
  in_flight_.push_back({.mark = back_end_.mark(), .bytes = batch.kept_bytes});
  in_flight_bytes_ += batch.kept_bytes;
}

void BudgetWaiter::drop_oldest() {
  in_flight_bytes_ -= in_flight_.front().bytes;
  in_flight_.pop_front();
}

void BudgetWaiter::note_oversize() {
  if (std::exchange(has_noted_oversize_, true) || !on_notice_) return;
  on_notice_(key_ + ": found batches that keep " + format_bytes(last_bytes_) +
             " in flight with a budget of " + format_bytes(bytes_) +
             ": each waits until the one before has finished; for two in flight set " +
             std::to_string(2 * last_bytes_) + " or more");
}

std::unique_ptr<SyncPolicy> make_budget() { return std::make_unique<BudgetPolicy>(); }

}  // namespace runahead::train
