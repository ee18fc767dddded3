#include <deque>

#include "core/train/policies/sync_policy.h"

namespace runahead::train {
namespace {

/// Keeps the marks of the batches in flight, oldest first.
class WindowWaiter final : public Waiter {
 public:
  WindowWaiter(std::int64_t batches, MarkSource& back_end)
      : batches_(static_cast<std::size_t>(batches)), back_end_(back_end) {}

  void before_batch() override {
    while (in_flight_.size() >= batches_) {  // More than one if an exception ended a wait.
      in_flight_.front()->wait();
      in_flight_.pop_front();
    }
  }
  void after_batch(const IssuedBatch&) override { in_flight_.push_back(back_end_.mark()); }

 private:
  std::size_t batches_;
  MarkSource& back_end_;
  std::deque<std::unique_ptr<Mark>> in_flight_{};
};

/// Before batch i is issued, batch i - n has finished: at most n batches are in flight, and the
/// queue is never drained. n = 1 is a wait per batch. (FSDP's rate limiter has n = 2, XLA's CPU
/// client 32.)
class WindowPolicy final : public CopyablePolicy<WindowPolicy> {
 public:
  [[nodiscard]] std::string name() const override { return "window"; }
  void describe(Fields& fields) override {
    fields.integer({"batches", "Most batches in flight."}, batches_, {1, kMostBatches});
  }
  [[nodiscard]] std::string label() const override {
    return "window of " + std::to_string(batches_) + " batches";
  }
  [[nodiscard]] std::unique_ptr<Waiter> start(const PolicyContext& context) const override {
    return std::make_unique<WindowWaiter>(batches_, context.back_end);
  }
  [[nodiscard]] CostShape cost_shape(const CostQuestion&) const override {
    return {.batches_in_flight = batches_};
  }

 private:
  std::int64_t batches_ = 2;
};

}  // namespace

std::unique_ptr<SyncPolicy> make_window() { return std::make_unique<WindowPolicy>(); }

}  // namespace runahead::train
