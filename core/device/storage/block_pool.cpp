#include "core/device/storage/block_pool.h"

#include <mutex>

#include "core/device/storage/block.h"

namespace runahead::device {

BlockPool::BlockPool(MemoryLedger& ledger) : ledger_(ledger), objects_(sizeof(Block)) {}

void* BlockPool::take() {
  const std::lock_guard lock(taking_lock_);
  return objects_.take();
}

}  // namespace runahead::device
