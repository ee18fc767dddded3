#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "core/engine/object_memory.h"
#include "core/engine/operation_node.h"

namespace runahead::engine {

/// The nodes of an engine.
class OperationPool {
 public:
  /// The deleter of TakenNode: gives the node back to its pool.
  struct GiveBack {
    OperationPool* pool = nullptr;
    void operator()(OperationNode* node) const noexcept { pool->give_back(node); }
  };
  using TakenNode = std::unique_ptr<OperationNode, GiveBack>;

  /// Calls must not overlap each other or shrink(). @throws std::bad_alloc.
  [[nodiscard]] TakenNode take() {
    return {::new (memory_.take()) OperationNode(), GiveBack{this}};
  }
  /// Destroys the node, which runs user destructors unless its references were dropped.
  /// Thread-safe.
  void give_back(OperationNode* node) noexcept {
    std::destroy_at(node);
    memory_.give_back(node);
  }

  /// Returns memory of spare nodes to the system, beyond what is worth keeping.
  void shrink() noexcept {
    if (memory_.is_oversized()) memory_.shrink();
  }
  /// Memory of the nodes in use and the spare ones, in bytes. Thread-safe.
  [[nodiscard]] std::size_t bytes() const noexcept { return memory_.bytes(); }

 private:
  ObjectMemory memory_{sizeof(OperationNode)};
};

}  // namespace runahead::engine
