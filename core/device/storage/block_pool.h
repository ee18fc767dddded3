#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/device/storage/memory_ledger.h"
#include "core/engine/recycler.h"

namespace runahead::device {

/// Recycles the memory of Block objects (not the memory they hold): front-end threads create them,
/// and mostly workers destroy them. Keeps at most kMostSpare, plus as many that take() has already
/// taken over. Thread-safe.
class BlockPool {
 public:
#if defined(__SANITIZE_ADDRESS__)
  static constexpr std::size_t kMostSpare = 0;  // So that the sanitizer sees each block freed.
#else
  static constexpr std::size_t kMostSpare = 4096;
#endif

  explicit BlockPool(MemoryLedger& ledger);
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  /// Memory for one Block. @throws std::bad_alloc
  [[nodiscard]] void* take();
  void give_back(void* memory) noexcept;

  /// Memory used by the block objects themselves, spare ones included, in bytes.
  [[nodiscard]] std::uint64_t bookkeeping_bytes() const noexcept;

  /// The ledger that counts the blocks' bytes.
  [[nodiscard]] MemoryLedger& ledger() const noexcept { return ledger_; }

 private:
  MemoryLedger& ledger_;
  std::atomic<std::uint64_t> objects_{0};  ///< Obtained from the C library and not returned.
  engine::SpinLock taking_lock_{};
  engine::Recycler recycler_;
};

}  // namespace runahead::device
