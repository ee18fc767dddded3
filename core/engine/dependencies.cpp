#include "core/engine/dependencies.h"

#include <new>

namespace runahead::engine {
namespace {

// A granted access sees the variable as it will be when the operation runs: every earlier write has
// completed, and no later one is granted.
void inherit_poison(const PendingAccess& access) noexcept {
  TrackingState& state = tracking_state_of(*access.variable);
  if (state.poison == nullptr || !access.passes_poison_on()) return;
  OperationNode& node = *access.operation;
  node.failure = earlier_of(node.failure, state.poison);
}

void settle_poison(const PendingAccess& access, const FailurePtr& failure,
                   std::forward_list<FailurePtr>& displaced) noexcept {
  TrackingState& state = tracking_state_of(*access.variable);
  if (state.poison == failure) return;
  if (state.poison != nullptr) {
    try {
      displaced.push_front(state.poison);
    } catch (const std::bad_alloc&) {
      // Then it is destroyed here, under the lock.
    }
  }
  state.poison = failure;
  state.is_poisoned.store(failure != nullptr, std::memory_order_relaxed);
}

}  // namespace

bool add_operation(OperationNode& node) noexcept {
  for (PendingAccess& access : node.accesses) {
    if (tracking_state_of(*access.variable).accesses.add(access)) {
      inherit_poison(access);
    } else {
      ++node.missing_grants;
    }
  }
  return --node.missing_grants == 0;
}

void complete_operation(OperationNode& node, OperationList& ready) noexcept {
  for (PendingAccess& access : node.accesses) {
    if (sets_poison(access.mode)) settle_poison(access, node.failure, node.displaced);
    PendingAccess* granted = tracking_state_of(*access.variable).accesses.release(access);
    for (; granted != nullptr; granted = granted->next) {
      inherit_poison(*granted);
      OperationNode& waiting = *granted->operation;
      if (--waiting.missing_grants == 0) ready.push_back(waiting);
    }
  }
}

}  // namespace runahead::engine
