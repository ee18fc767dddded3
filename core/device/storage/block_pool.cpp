#include "core/device/storage/block_pool.h"

#include <mutex>
#include <vector>

#include "core/device/storage/block.h"

namespace runahead::device {

BlockPool::BlockPool(MemoryLedger& ledger) : ledger_(ledger), objects_(sizeof(Block)) {}

void* BlockPool::take() {
  const std::lock_guard lock(taking_lock_);
  return objects_.take();
}

void BlockPool::return_spare_slabs() noexcept {
  if (!objects_.may_have_spare_slabs()) return;
  std::vector<engine::Slab> spare;  // Returned after the lock.
  const std::lock_guard lock(taking_lock_);
  spare = objects_.take_spare_slabs(Clock::now());
}

}  // namespace runahead::device
