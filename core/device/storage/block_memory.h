#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/engine/variable.h"

namespace runahead::device {

class Block;

/// Blocks whose operations in flight still use the memory that another block was given.
using Predecessors = std::vector<engine::VariablePtr>;

/// Memory that a pool gave a block, and that another block may have next.
class BlockMemory {
 public:
  BlockMemory() = default;
  virtual ~BlockMemory() = default;
  BlockMemory(const BlockMemory&) = delete;
  BlockMemory& operator=(const BlockMemory&) = delete;

  [[nodiscard]] virtual void* address() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t bytes() const noexcept = 0;
  /// To be called by who reads or writes the memory. Thread-safe.
  virtual void touch() noexcept = 0;
  /// The last tensor on `user` is gone, whose one remaining owner, operations aside, is the caller.
  virtual void release(Block& user) noexcept = 0;
  /// Nothing uses `user` any more; called at its end.
  virtual void leave(Block& user) noexcept = 0;
};

/// Memory, and what a block that takes it must know.
struct MemoryLease {
  std::shared_ptr<BlockMemory> memory{};
  Predecessors predecessors{};  ///< Empty if nothing in flight uses the memory.
  bool is_committed = false;    ///< Is from the block before, for operations in flight.
};

}  // namespace runahead::device
