#include "core/engine/ready_queue.h"

#include <algorithm>

namespace runahead::engine {
namespace {

bool leaves_before(const OperationNode* a, const OperationNode* b) noexcept {
  return a->priority != b->priority ? a->priority > b->priority : a->ready_rank < b->ready_rank;
}

bool leaves_after(const OperationNode* a, const OperationNode* b) noexcept {
  return leaves_before(b, a);
}

}  // namespace

void ReadyQueue::push(OperationNode& node) noexcept {
  node.ready_rank = order_ == ReadyOrder::kOldestFirst ? node.sequence : ++arrivals_;
  if (in_order_.empty() || leaves_before(in_order_.back(), &node)) {
    in_order_.push_back(node);
    ++in_order_count_;
  } else {
    overtaking_.push_back(&node);
    std::push_heap(overtaking_.begin(), overtaking_.end(), leaves_after);
  }
}

OperationNode* ReadyQueue::pop() noexcept {
  if (overtaking_.empty() ||
      (!in_order_.empty() && leaves_before(in_order_.front(), overtaking_.front()))) {
    OperationNode* const node = in_order_.pop_front();
    if (node != nullptr) --in_order_count_;
    return node;
  }
  std::pop_heap(overtaking_.begin(), overtaking_.end(), leaves_after);
  OperationNode* const node = overtaking_.back();
  overtaking_.pop_back();
  return node;
}

}  // namespace runahead::engine
