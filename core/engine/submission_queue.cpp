#include "core/engine/submission_queue.h"

#include <utility>

namespace runahead::engine {

SubmissionQueue::SubmissionQueue() : append_block_(new Block()), take_block_(append_block_) {}

SubmissionQueue::~SubmissionQueue() {
  delete spare_block_.load();
  while (take_block_ != nullptr) delete std::exchange(take_block_, take_block_->next);
}

void SubmissionQueue::reserve() {
  if (append_index_ < kBlockSize || reserved_block_ != nullptr) return;
  reserved_block_.reset(spare_block_.exchange(nullptr, std::memory_order_acquire));
  if (reserved_block_ == nullptr) reserved_block_ = std::make_unique<Block>();
  reserved_block_->next = nullptr;
}

void SubmissionQueue::append(OperationNode& node) noexcept {
  if (append_index_ == kBlockSize) {
    append_block_->next = reserved_block_.get();
    append_block_ = reserved_block_.release();
    append_index_ = 0;
  }
  append_block_->operations[append_index_++] = &node;
  // Sequentially consistent: the appending thread checks for sleeping workers next.
  appended_.store(appended_.load(std::memory_order_relaxed) + 1);
}

bool SubmissionQueue::look() noexcept {
  appended_seen_ = appended_.load();
  return appended_seen_ != taken_.load(std::memory_order_relaxed);
}

OperationNode* SubmissionQueue::take() noexcept {
  const std::uint64_t taken = taken_.load(std::memory_order_relaxed);
  if (taken == appended_seen_) return nullptr;
  if (take_index_ == kBlockSize) {
    Block* const emptied = std::exchange(take_block_, take_block_->next);
    take_index_ = 0;
    delete spare_block_.exchange(emptied, std::memory_order_acq_rel);
  }
  taken_.store(taken + 1, std::memory_order_relaxed);
  return take_block_->operations[take_index_++];
}

}  // namespace runahead::engine
