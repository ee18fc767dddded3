#include "core/engine/operation_pool.h"

#include <utility>

namespace runahead::engine {

OperationPool::~OperationPool() {
  while (take_spare() != nullptr) {
  }
}

std::unique_ptr<OperationNode> OperationPool::take_spare() noexcept {
  return std::unique_ptr<OperationNode>(static_cast<OperationNode*>(recycler_.take()));
}

std::unique_ptr<OperationNode> OperationPool::take() {
  std::unique_ptr<OperationNode> spare = take_spare();
  return spare != nullptr ? std::move(spare) : std::make_unique<OperationNode>();
}

void OperationPool::give_back(OperationNode* node) noexcept {
  if (!recycler_.give_back(node)) delete node;
}

}  // namespace runahead::engine
