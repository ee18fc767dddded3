#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "core/engine/operation_node.h"
#include "core/engine/recycler.h"

namespace runahead::engine {

/// Recycles operation nodes, so that a push rarely allocates. It keeps at most kMostSpare nodes
/// that were given back, plus as many that take() has already taken over.
class OperationPool {
 public:
  static constexpr std::size_t kMostSpare = 4096;

  /// The deleter of TakenNode: gives the node back to its pool.
  struct GiveBack {
    OperationPool* pool = nullptr;
    void operator()(OperationNode* node) const noexcept;
  };
  using TakenNode = std::unique_ptr<OperationNode, GiveBack>;

  OperationPool() = default;
  ~OperationPool();
  OperationPool(const OperationPool&) = delete;
  OperationPool& operator=(const OperationPool&) = delete;

  /// A node without references. Calls must not overlap. @throws std::bad_alloc.
  [[nodiscard]] TakenNode take();

  /// Takes back a node whose references were dropped. Thread-safe.
  void give_back(OperationNode* node) noexcept;

  /// Nodes in use and kept. Thread-safe.
  [[nodiscard]] std::size_t node_count() const noexcept {
    return node_count_.load(std::memory_order_relaxed);
  }
  /// Nodes given back and kept. Thread-safe.
  [[nodiscard]] std::size_t spare_count() noexcept { return recycler_.spare_count(); }

 private:
  std::atomic<std::size_t> node_count_{0};
  Recycler recycler_{sizeof(OperationNode), kMostSpare};
};

}  // namespace runahead::engine
