#include "core/engine/operation_pool.h"

namespace runahead::engine {

OperationPool::~OperationPool() {
  while (void* const node = recycler_.take_any()) delete static_cast<OperationNode*>(node);
}

OperationPool::TakenNode OperationPool::take() {
  std::unique_ptr<OperationNode> node(static_cast<OperationNode*>(recycler_.take()));
  if (node == nullptr) {
    node = std::make_unique<OperationNode>();
    node_count_.fetch_add(1, std::memory_order_relaxed);
  }
  return {node.release(), GiveBack{this}};
}

void OperationPool::GiveBack::operator()(OperationNode* node) const noexcept {
  node->body.reset();
  node->drop_references();
  pool->give_back(node);
}

void OperationPool::give_back(OperationNode* node) noexcept {
  if (recycler_.give_back(node)) return;
  node_count_.fetch_sub(1, std::memory_order_relaxed);
  delete node;
}

}  // namespace runahead::engine
