#include "core/train/policies/sync_policy.h"

namespace runahead::train {
namespace {

/// Never waits: the loop's owner waits at the end.
class NonePolicy final : public CopyablePolicy<NonePolicy> {
 public:
  [[nodiscard]] std::string name() const override { return "none"; }
  [[nodiscard]] std::string label() const override { return "async: never waits"; }
  [[nodiscard]] std::string phrase() const override { return "Without a wait"; }
  [[nodiscard]] std::unique_ptr<Waiter> start(const PolicyContext&) const override {
    return std::make_unique<Waiter>();
  }
  [[nodiscard]] CostShape cost_shape(const CostQuestion&) const override { return {}; }
};

}  // namespace

std::unique_ptr<SyncPolicy> make_none() { return std::make_unique<NonePolicy>(); }

}  // namespace runahead::train
