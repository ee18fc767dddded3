#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/engine/device_settings.h"
#include "core/engine/operation_node.h"

namespace runahead::engine {

/// The ready operations in the order in which workers take them: by priority, then by the ready
/// order. Not thread-safe.
///
/// Operations mostly arrive in the order in which they leave. These are kept in a list, whose ends
/// are cheap to access; only an operation that overtakes the last one in the list goes to a heap.
class ReadyQueue {
 public:
  explicit ReadyQueue(ReadyOrder order) : order_(order) { reserve(kLeastRoom); }

  /// Makes room for `count` operations in all. @throws std::bad_alloc.
  void reserve(std::size_t count) { overtaking_.reserve(count); }
  [[nodiscard]] std::size_t capacity() const noexcept { return overtaking_.capacity(); }

  /// Precondition: room was made.
  void push(OperationNode& node) noexcept;
  /// Removes and returns the next operation to run; null when empty.
  OperationNode* pop() noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return in_order_count_ + overtaking_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

 private:
  static constexpr std::size_t kLeastRoom = 64;

  ReadyOrder order_;
  std::uint64_t arrivals_ = 0;
  OperationList in_order_{};
  std::size_t in_order_count_ = 0;
  std::vector<OperationNode*> overtaking_{};  ///< A heap.
};

}  // namespace runahead::engine
