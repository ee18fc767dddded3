#include "core/engine/operation_pool.h"

#include <mutex>
#include <utility>

namespace runahead::engine {

OperationPool::~OperationPool() {
  destroy(taken_over_);
  destroy(given_back_);
}

std::unique_ptr<OperationNode> OperationPool::take() {
  if (taken_over_.empty()) {
    const std::lock_guard lock(lock_);
    taken_over_ = std::exchange(given_back_, OperationList());
    given_back_count_ = 0;
  }
  OperationNode* const node = taken_over_.pop_front();
  return node != nullptr ? std::unique_ptr<OperationNode>(node) : std::make_unique<OperationNode>();
}

void OperationPool::give_back(OperationNode* node) noexcept {
  {
    const std::lock_guard lock(lock_);
    if (given_back_count_ < kMostSpare) {
      given_back_.push_back(*node);
      ++given_back_count_;
      return;
    }
  }
  delete node;
}

std::size_t OperationPool::spare_count() noexcept {
  const std::lock_guard lock(lock_);
  return given_back_count_;
}

void OperationPool::destroy(OperationList& list) noexcept {
  while (OperationNode* const node = list.pop_front()) delete node;
}

}  // namespace runahead::engine
