#include "core/engine/operation_node.h"

#include <algorithm>
#include <utility>

namespace runahead::engine {

void OperationNode::assign(Operation& operation, std::uint64_t sequence_number,
                           const void* engine) {
  accesses.reserve(operation.accesses.size());
  name = operation.name;
  body = std::move(operation.body);
  cost_bytes = operation.cost_bytes;
  priority = operation.priority;
  is_event = operation.records != nullptr;
  sequence = sequence_number;
  missing_grants = 1;
  for (Access& access : operation.accesses) {
    PushState& state = push_state_of(*access.variable);
    if (state.last_use.load(std::memory_order_relaxed) == sequence) {
      const auto same = std::find_if(accesses.begin(), accesses.end(), [&](const auto& earlier) {
        return earlier.variable == access.variable;
      });
      if (same != accesses.end()) {
        if (same->mode != access.mode) same->mode = AccessMode::kWrite;
        continue;
      }
    }
    state.last_use.store(sequence, std::memory_order_relaxed);
    accesses.push_back({std::move(access.variable), this, nullptr, access.mode});
  }
  for (const PendingAccess& access : accesses) {
    if (!access.is_write()) continue;
    PushState& state = push_state_of(*access.variable);
    state.engine.store(engine, std::memory_order_relaxed);
    state.last_write.store(sequence, std::memory_order_relaxed);
  }
}

void OperationNode::drop_references() noexcept {
  accesses.clear();
  failure.reset();
  displaced.clear();
}

void OperationList::push_back(OperationNode& node) noexcept {
  node.next = nullptr;
  if (first_ == nullptr) {
    first_ = &node;
  } else {
    last_->next = &node;
  }
  last_ = &node;
}

OperationNode* OperationList::pop_front() noexcept {
  OperationNode* const node = first_;
  if (node != nullptr) first_ = node->next;
  return node;
}

}  // namespace runahead::engine
