#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/engine/variable.h"

namespace runahead::device {

class Block;

/// Blocks whose operations in flight still use memory that was since given to another block.
using Predecessors = std::vector<engine::VariablePtr>;

/// Memory that a pool gave to one block and may give to another later.
class BlockMemory {
 public:
  BlockMemory() = default;
  virtual ~BlockMemory() = default;
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;

  [[nodiscard]] virtual void* address() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t bytes() const noexcept = 0;
  /// To be called before the memory is read or written. Thread-safe.
  virtual void touch() noexcept = 0;
  /// The last tensor on `user` is gone; operations aside, the caller is its only remaining owner.
  virtual void release(Block& user) noexcept = 0;
  /// Nothing uses `user` any more; called by its destructor.
  virtual void leave(Block& user) noexcept = 0;
};

/// Memory for a block, and what the block must know about it.
struct MemoryLease {
  std::shared_ptr<BlockMemory> memory{};
  Predecessors predecessors{};  ///< Empty if nothing in flight uses the memory.
  bool is_committed = false;    ///< Still committed by operations in flight on the previous block.
};

}  // namespace runahead::device
