#include "core/engine/ready_queue.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace runahead::engine {
namespace {

constexpr std::size_t kLeastRingSize = 64;

}  // namespace

ReadyQueue::ReadyQueue(ReadyOrder order) : order_(order) { reserve(kLeastRingSize); }

void ReadyQueue::reserve(std::size_t count) {
  if (count <= ring_.size()) return;
  const std::size_t capacity = std::bit_ceil(count);
  heap_.reserve(capacity);
  std::vector<Entry> larger(capacity);
  for (std::size_t i = 0; i < ring_count_; ++i) larger[i] = ring_at(i);
  ring_ = std::move(larger);
  ring_first_ = 0;
}

void ReadyQueue::push(OperationNode& node) noexcept {
  const std::uint64_t rank = order_ == ReadyOrder::kOldestFirst ? node.sequence : ++arrivals_;
  const Entry entry{node.priority, rank, &node};
  if (ring_count_ == 0 || leaves_before(ring_at(ring_count_ - 1), entry)) {
    ring_at(ring_count_++) = entry;
  } else {
    heap_.push_back(entry);
    std::push_heap(heap_.begin(), heap_.end(), leaves_after);
  }
}

OperationNode* ReadyQueue::pop() noexcept {
  if (empty()) return nullptr;
  if (heap_.empty() || (ring_count_ > 0 && leaves_before(ring_at(0), heap_.front()))) {
    OperationNode* const node = ring_at(0).node;
    ++ring_first_;
    --ring_count_;
    return node;
  }
  std::pop_heap(heap_.begin(), heap_.end(), leaves_after);
  OperationNode* const node = heap_.back().node;
  heap_.pop_back();
  return node;
}

bool ReadyQueue::leaves_before(const Entry& a, const Entry& b) noexcept {
  return a.priority != b.priority ? a.priority > b.priority : a.rank < b.rank;
}

bool ReadyQueue::leaves_after(const Entry& a, const Entry& b) noexcept {
  return leaves_before(b, a);
}

ReadyQueue::Entry& ReadyQueue::ring_at(std::size_t position) noexcept {
  return ring_[(ring_first_ + position) & (ring_.size() - 1)];
}

}  // namespace runahead::engine
