#include "core/device/storage/block_pool.h"

#include <mutex>
#include <new>

#include "core/device/storage/block.h"

namespace runahead::device {

BlockPool::BlockPool(MemoryLedger& ledger)
    : ledger_(ledger), recycler_(sizeof(Block), kMostSpare) {}

BlockPool::~BlockPool() {
  while (void* const memory = recycler_.take_any()) ::operator delete(memory);
}

void* BlockPool::take() {
  {
    const std::lock_guard lock(taking_lock_);
    if (void* const memory = recycler_.take()) return memory;
  }
  void* const memory = ::operator new(sizeof(Block));
  objects_.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

void BlockPool::give_back(void* memory) noexcept {
  if (recycler_.give_back(memory)) return;
  objects_.fetch_sub(1, std::memory_order_relaxed);
  ::operator delete(memory);
}

std::uint64_t BlockPool::bookkeeping_bytes() const noexcept {
  return objects_.load(std::memory_order_relaxed) * sizeof(Block);
}

}  // namespace runahead::device
