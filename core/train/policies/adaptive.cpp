#include <utility>

#include "core/base/bytes.h"
#include "core/base/clock.h"
#include "core/train/policies/adaptive_depth.h"
#include "core/train/policies/adaptive_window.h"
#include "core/train/policies/budget.h"

namespace runahead::train {
namespace {

/// Never waits itself: the device holds each operation at admission, at the depth that `depth`
/// chooses after each batch.
class DepthWaiter final : public Waiter {
 public:
  explicit DepthWaiter(AdaptiveDepth& depth) : depth_(depth) {}

  void before_batch() override {
    if (std::exchange(has_begun_, true)) return;
    depth_.begin(Clock::now());
  }
  void after_batch(const IssuedBatch&) override { depth_.end_batch(Clock::now()); }

 private:
  AdaptiveDepth& depth_;
  bool has_begun_ = false;
};

/// For a loop that sees only batches (`cuda`): before a batch is issued, waits for the oldest
/// batches until the window has room, without draining the queue. The bytes that batches keep stay
/// below a ceiling, as with BudgetWaiter.
class AdaptiveWindowWaiter final : public Waiter {
 public:
  AdaptiveWindowWaiter(AdaptiveWindow& window, std::uint64_t ceiling_bytes,
                       const PolicyContext& context)
      : window_(window),
        ceiling_(ceiling_bytes, context.back_end, context.on_notice, "/sync/ceiling"),
        back_end_(context.back_end) {}

  void before_batch() override {
    ceiling_.before_batch();
    drop_finished();
    was_held_ = false;
    while (in_flight_.size() >= window_.batches()) {
      was_held_ = true;
      in_flight_.front()->wait();
      in_flight_.pop_front();
    }
  }

  void after_batch(const IssuedBatch& batch) override {
    ceiling_.after_batch(batch);
    drop_finished();
    window_.note_batch({.was_held = was_held_, .in_reserve = in_flight_.size()});
    in_flight_.push_back(back_end_.mark());
  }

 private:
  void drop_finished() {
    while (!in_flight_.empty() && in_flight_.front()->is_finished()) in_flight_.pop_front();
  }

  AdaptiveWindow& window_;
  BudgetWaiter ceiling_;
  MarkSource& back_end_;
  std::deque<std::unique_ptr<Mark>> in_flight_{};  ///< Oldest first.
  bool was_held_ = false;                          ///< By the window, before the current batch.
};

/// Keeps the back end busy with the smallest backlog, which it finds while running.
class AdaptivePolicy final : public CopyablePolicy<AdaptivePolicy> {
 public:
  [[nodiscard]] std::string name() const override { return "adaptive"; }
  void describe(Fields& fields) override {
    fields.bytes({"ceiling", "Most bytes, of what /sync/bytes bounds."}, ceiling_bytes_,
                 {1, kMostBytes});
  }
  [[nodiscard]] std::string label() const override {
    return "adaptive, at most " + format_bytes(ceiling_bytes_);
  }
  [[nodiscard]] std::string phrase() const override { return "With the adaptive policy"; }
  [[nodiscard]] std::unique_ptr<Waiter> start(const PolicyContext& context) const override {
    if (context.depth != nullptr) return std::make_unique<DepthWaiter>(*context.depth);
    if (context.window == nullptr) return std::make_unique<Waiter>();
    return std::make_unique<AdaptiveWindowWaiter>(*context.window, ceiling_bytes_, context);
  }
  [[nodiscard]] CostShape cost_shape(const CostQuestion&) const override {
    return {.predicts_backlog = false};
  }
  [[nodiscard]] std::optional<std::uint64_t> ceiling_bytes() const override {
    return ceiling_bytes_;
  }

 private:
  std::uint64_t ceiling_bytes_ = std::uint64_t{1} << 30;
};

}  // namespace

std::unique_ptr<SyncPolicy> make_adaptive() { return std::make_unique<AdaptivePolicy>(); }

}  // namespace runahead::train
