#include "core/train/policies/every_n.h"

namespace runahead::train {
namespace {

/// Waits after each batch.
class EveryBatchPolicy final : public CopyablePolicy<EveryBatchPolicy> {
 public:
  [[nodiscard]] std::string name() const override { return "every_batch"; }
  void describe(Fields& fields) override { describe_wait(wait_, fields); }
  [[nodiscard]] std::string label() const override {
    return "sync: waits after every batch (" + name_of(wait_) + ")";
  }
  [[nodiscard]] std::string phrase() const override { return "With a wait after every batch"; }
  [[nodiscard]] std::unique_ptr<Waiter> start(const PolicyContext& context) const override {
    return std::make_unique<EveryNWaiter>(1, context.make_wait(wait_));
  }
  [[nodiscard]] CostShape cost_shape(const CostQuestion&) const override {
    return {.batches_per_wait = 1};
  }
  [[nodiscard]] std::optional<WaitKind> wait() const override { return wait_; }

 private:
  WaitKind wait_ = WaitKind::kLossValue;
};

}  // namespace

std::unique_ptr<SyncPolicy> make_every_batch() { return std::make_unique<EveryBatchPolicy>(); }

}  // namespace runahead::train
