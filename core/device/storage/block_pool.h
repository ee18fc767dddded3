#pragma once

#include <cstdint>
#include <mutex>

#include "core/device/storage/memory_ledger.h"
#include "core/engine/object_memory.h"
#include "core/engine/spin.h"

namespace runahead::device {

/// Recycles the memory of Block objects (not the memory they hold): front-end threads create them,
/// and mostly workers destroy them. Thread-safe.
class BlockPool {
 public:
  explicit BlockPool(MemoryLedger& ledger);
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  /// Memory for one Block. @throws std::bad_alloc
  [[nodiscard]] void* take() {
    const std::lock_guard lock(taking_lock_);
    return objects_.take();
  }
  void give_back(void* memory) noexcept { objects_.give_back(memory); }
  /// Returns memory of spare blocks to the system. See ObjectMemory.
  void return_spare_slabs() noexcept { objects_.return_spare_slabs(taking_lock_); }

  /// Memory used by the block objects themselves, spare ones included, in bytes.
  [[nodiscard]] std::uint64_t bookkeeping_bytes() const noexcept { return objects_.bytes(); }

  /// The ledger that counts the blocks' bytes.
  [[nodiscard]] MemoryLedger& ledger() const noexcept { return ledger_; }

 private:
  MemoryLedger& ledger_;
  engine::SpinLock taking_lock_{};
  engine::ObjectMemory objects_;
};

}  // namespace runahead::device
