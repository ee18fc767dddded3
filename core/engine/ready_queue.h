#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/engine/operation_node.h"
#include "core/engine/ready_order.h"

namespace runahead::engine {

/// The ready operations in the order in which workers take them: by priority, then by the ready
/// order. Not thread-safe.
///
/// Entries mostly arrive in the order in which they leave. These are kept in a ring, whose ends are
/// cheap to access; only an entry that overtakes the last one in the ring goes to a heap.
class ReadyQueue {
 public:
  explicit ReadyQueue(ReadyOrder order);

  /// Makes room for `count` operations in all. @throws std::bad_alloc.
  void reserve(std::size_t count);
  [[nodiscard]] std::size_t capacity() const noexcept { return ring_.size(); }

  /// Precondition: room was made.
  void push(OperationNode& node) noexcept;
  /// Removes and returns the next operation to run; null when empty.
  OperationNode* pop() noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return ring_count_ + heap_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

 private:
  struct Entry {
    std::int64_t priority = 0;
    std::uint64_t rank = 0;  ///< Among equal priorities the smaller leaves first.
    OperationNode* node = nullptr;
  };
  [[nodiscard]] static bool leaves_before(const Entry& a, const Entry& b) noexcept;
  [[nodiscard]] static bool leaves_after(const Entry& a, const Entry& b) noexcept;
  [[nodiscard]] Entry& ring_at(std::size_t position) noexcept;

  ReadyOrder order_;
  std::uint64_t arrivals_ = 0;
  std::vector<Entry> ring_;  ///< Size: a power of two.
  std::size_t ring_first_ = 0;
  std::size_t ring_count_ = 0;
  std::vector<Entry> heap_;
};

}  // namespace runahead::engine
