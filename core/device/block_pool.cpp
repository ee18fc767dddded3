#include "core/device/block_pool.h"

#include <mutex>
#include <new>

#include "core/device/block.h"

namespace runahead::device {

BlockPool::BlockPool(MemoryLedger& ledger)
    : ledger_(ledger), recycler_(sizeof(Block), kMostSpare) {}

BlockPool::~BlockPool() {
  while (void* const memory = recycler_.take()) ::operator delete(memory);
}

void* BlockPool::take() {
  {
    const std::lock_guard lock(taking_lock_);
    if (void* const memory = recycler_.take()) return memory;
  }
  return ::operator new(sizeof(Block));
}

void BlockPool::give_back(void* memory) noexcept {
  if (!recycler_.give_back(memory)) ::operator delete(memory);
}

}  // namespace runahead::device
