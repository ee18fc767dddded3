#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>

#include <atomic>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <new>
#include <utility>

#include "core/device/layouts/layout_table.h"
#include "core/device/storage/block_memory.h"
#include "core/device/storage/block_pool.h"
#include "core/device/storage/commitment.h"
#include "core/device/storage/memory_ledger.h"
#include "core/engine/operation.h"
#include "core/engine/spin.h"
#include "core/engine/variable.h"

namespace runahead::device {

/// The memory behind one storage, and the variable that orders operations on it.
///
/// A tensor's storage and the operations in flight share ownership of the block; operations never
/// own tensors or storages, because autograd inspects their use counts. Memory may be allocated
/// long after the block: until then the block is a promise. Or a pool supplies it with the block,
/// and operations on an earlier block may then still use it: see `name_block`. A storage's data
/// pointer is a device address, unique and aligned but not mapped, as on any accelerator: the front
/// end can compare such addresses (overlap checks do) but must not dereference them.
///
/// Thread-safe, except for functions marked as for front-end threads.
class Block final : public engine::Variable {
 public:
  /// Promises `size_bytes`; claims nothing yet.
  Block(std::uint64_t size_bytes, BlockPool& pool);
  /// A block of `size_bytes` on the memory of `lease`, which is already committed.
  Block(std::uint64_t size_bytes, BlockPool& pool, MemoryLease lease);
  ~Block() override;
  /// Returns the object's memory to its pool.
  static void operator delete(Block* block, std::destroying_delete_t) noexcept;

  [[nodiscard]] MemoryLedger& ledger() const noexcept { return pool_.ledger(); }
  [[nodiscard]] std::uint64_t size_bytes() const noexcept { return size_bytes_; }

  /// Claims uninitialised memory unless the block already has it; it counts as untouched until one
  /// of the functions below is called. @throws OutOfMemoryError
  void claim();
  /// The host memory, for a caller about to read or write it; claimed first if needed.
  /// @throws OutOfMemoryError
  void* memory();
  [[nodiscard]] bool has_memory() const noexcept {
    return pool_memory_ != nullptr || memory_address_.load(std::memory_order_acquire) != nullptr;
  }
  /// The host storage over the memory: one per block, so that kernels see overlap and aliasing as
  /// they would on CPU. It can't be resized. Claims the memory if needed. @throws OutOfMemoryError
  [[nodiscard]] const c10::Storage& host_storage();

  /// The layout of the first tensor that an operation named on this block; most of them share it.
  /// It lies within the block. Null if there is none yet.
  [[nodiscard]] const TensorLayout* first_layout() const noexcept {
    return first_layout_.load(std::memory_order_acquire);
  }
  /// Sets the first layout to `layout`, which lies within the block, unless there already is one.
  /// The block then takes ownership of it if the reference owned it.
  void set_first_layout_if_none(LayoutReference& layout) noexcept;
  /// The CPU tensor of the first layout over the block's memory, created once. Kernels may share it
  /// as long as they don't change its shape. Precondition: there is a first layout.
  /// @throws OutOfMemoryError
  [[nodiscard]] const at::Tensor& host_tensor();

  /// Takes the memory of a kernel's result of `layout` and `size_bytes()` that nothing else refers
  /// to. Precondition: the block has no memory.
  void adopt(at::Tensor result, const TensorLayout& layout);

  /// Moves the memory and its contents to `heir`. For an operation that reads this block and writes
  /// `heir`, while it executes. @return whether it did: only if nothing but the operation refers to
  /// this block, the block has memory of its own, and `heir` has none and is the same size.
  bool hand_over_memory(Block& heir) noexcept;

  /// Claims memory for data that the host hands over at issue; the caller has committed it. It
  /// counts as live while a storage refers to the block and, unless it came from a pool, as held
  /// once only operations in flight do. @throws OutOfMemoryError
  void* memory_for_host_input();

  /// Whether no operation has named the block yet and none uses its memory, so that the front end
  /// may fill it itself. For front-end threads.
  [[nodiscard]] bool is_fresh() const noexcept {
    return !is_named_.load(std::memory_order_relaxed) && !has_predecessor();
  }
  /// Whether nothing has been written to it. For front-end threads.
  [[nodiscard]] bool is_blank() const noexcept {
    return !is_named_.load(std::memory_order_relaxed) && !is_host_input_;
  }
  void mark_named() noexcept {
    // A block that many operations read would otherwise change hands between CPUs at each.
    if (!is_named_.load(std::memory_order_relaxed))
      is_named_.store(true, std::memory_order_relaxed);
  }

  /// Whether its memory is committed. For front-end threads.
  [[nodiscard]] bool is_committed() const noexcept {
    return is_committed_.load(std::memory_order_relaxed);
  }
  /// Takes over the commitment for its memory, until that is free, unless another thread has
  /// committed it meanwhile. For front-end threads.
  void take_over(Commitment& commitment) noexcept {
    if (!is_committed_.exchange(true, std::memory_order_relaxed)) commitment.hand_over();
  }
  /// Commits the block's memory through an operation about to be pushed. @return the bytes that the
  /// operation commits: 0 if they already were. For front-end threads.
  [[nodiscard]] std::uint64_t commit_by_operation() noexcept {
    if (is_committed()) [[likely]]
      return 0;
    return is_committed_.exchange(true, std::memory_order_relaxed) ? 0 : size_bytes_;
  }

  /// Whether no operation has written the block yet and operations on earlier blocks with the same
  /// memory may be in flight.
  [[nodiscard]] bool has_predecessor() const noexcept {
    return has_predecessor_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] Predecessors predecessors();
  /// The same, but removes them from the block.
  Predecessors take_predecessors() noexcept;

  /// The memory that a pool gave it; null if it has its own, or none yet.
  [[nodiscard]] BlockMemory* pool_memory() const noexcept { return pool_memory_.get(); }

  /// The data pointer of a storage on a new block constructed from these arguments.
  template <typename... Memory>
  [[nodiscard]] static c10::DataPtr make_data_pointer(std::uint64_t size_bytes, BlockPool& pool,
                                                      Memory... memory) {
    auto* block = ::new (pool.take()) Block(size_bytes, pool, std::move(memory)...);
    return block->storage_pointer();
  }
  /// The block behind a storage's data pointer. @throws c10::NotImplementedError if it is not this
  /// device's.
  [[nodiscard]] static Block& of(const c10::DataPtr& pointer);

 private:
  friend class CachingPool;
  friend class SegmentPool;

  static void release_storage(void* context) noexcept;
  /// The last storage on `block` is gone. May destroy the block.
  static void let_go(Block& block) noexcept;
  [[nodiscard]] c10::DataPtr storage_pointer();
  void count_as(MemoryUse use) noexcept;
  [[nodiscard]] MemoryPiece piece() const noexcept;
  void free_committed() noexcept;
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept {
    return pool_memory_ != nullptr ? pool_memory_->bytes() : size_bytes_;
  }
  void claim_locked();
  void touch_locked() noexcept;
  void take_memory_locked(c10::Storage storage);

  const std::uint64_t size_bytes_;
  BlockPool& pool_;
  std::atomic<const TensorLayout*> first_layout_{nullptr};
  std::atomic<bool> owns_first_layout_{false};
  std::atomic<bool> is_named_{false};
  std::atomic<bool> is_committed_{false};
  std::atomic<bool> has_host_tensor_{false};
  bool is_host_input_ = false;
  bool has_storage_ = true;  ///< Not maintained for a pool's memory.
  MemoryUse use_ = MemoryUse::kNone;
  const TensorClass tensor_class_;
  bool is_untouched_ = false;  ///< Counted as untouched. Unused for a pool's memory.
  std::atomic<bool> is_touched_{false};
  std::atomic<bool> has_predecessor_{false};
  engine::SpinLock lock_{};
  c10::Storage host_storage_{};
  at::Tensor host_tensor_{};
  std::atomic<void*> memory_address_{nullptr};
  engine::VariablePtr storage_reference_{};  ///< The storage's reference to this block.
  std::shared_ptr<BlockMemory> pool_memory_{};
  Predecessors predecessors_{};
};

/// The accesses of an operation about to be pushed, and the bytes that it commits.
struct Accesses {
  engine::AccessList list{};
  std::uint64_t cost_bytes = 0;
  std::forward_list<Block*> written_first{};  ///< Blocks with predecessors that it writes.

  /// Call it once the operation is pushed, while its tensors are alive: later pushes are ordered
  /// behind the operation, so the blocks that it writes no longer need their predecessors.
  void note_pushed() noexcept {
    for (Block* const block : written_first) block->take_predecessors();
  }

  /// A variable that a failure of the operation spoils; null if there is none.
  [[nodiscard]] engine::VariablePtr written() const {
    for (const auto& [variable, mode] : list) {
      if (engine::sets_poison(mode)) return variable;
    }
    return {};
  }
};

/// Names the predecessors of `block`, which the operation accesses as `mode`. For name_block.
[[gnu::cold]] void name_predecessor(Accesses& accesses, Block& block, engine::AccessMode mode);

/// Adds `block` to the accesses of an operation about to be pushed and commits its memory: every
/// operation on the device names its blocks here. Until an operation has written the block, each
/// that names it also overwrites its predecessors, so it is ordered behind everything that still
/// uses the memory, other such operations included, whether or not these fail. For front-end
/// threads.
inline void name_block(Accesses& accesses, Block& block, engine::AccessMode mode) {
  block.mark_named();
  accesses.cost_bytes += block.commit_by_operation();
  accesses.list.push_back({engine::VariablePtr(&block), mode});
  if (block.has_predecessor()) [[unlikely]]
    name_predecessor(accesses, block, mode);
}

/// A CPU tensor of `layout` over `storage`.
[[nodiscard]] at::Tensor make_host_tensor(c10::Storage storage, const TensorLayout& layout);

}  // namespace runahead::device
