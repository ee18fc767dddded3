#include "core/train/policies/every_n.h"

namespace runahead::train {
namespace {

/// Waits after every n-th batch.
class EveryNPolicy final : public CopyablePolicy<EveryNPolicy> {
 public:
  [[nodiscard]] std::string name() const override { return "every_n"; }
  void describe(Fields& fields) override {
    fields.integer({"n", "Batches from one wait to the next."}, n_, {1, kMostBatches});
    describe_wait(wait_, fields);
  }
  [[nodiscard]] std::string label() const override {
    return "waits every " + std::to_string(n_) + " batches (" + name_of(wait_) + ")";
  }
  [[nodiscard]] std::string phrase() const override {
    return "With a wait every " + std::to_string(n_) + " batches";
  }
  [[nodiscard]] std::unique_ptr<Waiter> start(const PolicyContext& context) const override {
    return std::make_unique<EveryNWaiter>(n_, context.make_wait(wait_));
  }
  [[nodiscard]] CostShape cost_shape(const CostQuestion&) const override {
    return {.batches_per_wait = n_};
  }
  [[nodiscard]] std::optional<WaitKind> wait() const override { return wait_; }

 private:
  std::int64_t n_ = 10;
  WaitKind wait_ = WaitKind::kLossValue;
};

}  // namespace

std::unique_ptr<SyncPolicy> make_every_n() { return std::make_unique<EveryNPolicy>(); }

}  // namespace runahead::train
