#pragma once

#include <cstdint>
#include <forward_list>
#include <string_view>

#include "core/engine/failure.h"
#include "core/engine/operation.h"

namespace runahead::engine {

class Stream;
struct OperationNode;

/// One access of an operation in flight, and its place in the variable's queue.
struct PendingAccess {
  VariablePtr variable{};
  OperationNode* operation = nullptr;
  PendingAccess* next = nullptr;  ///< In the queue of the variable.
  AccessMode mode = AccessMode::kRead;

  [[nodiscard]] bool is_write() const noexcept { return mode != AccessMode::kRead; }
  /// Whether the operation fails if the variable is poisoned.
  [[nodiscard]] bool passes_poison_on() const noexcept {
    return mode == AccessMode::kRead || mode == AccessMode::kWrite;
  }
};

/// An operation in flight, as the engine keeps it.
struct OperationNode {
  std::string_view name{};
  OperationBody body{};
  InlineVector<PendingAccess, kInlineAccesses> accesses{};  ///< Each variable once.
  std::uint64_t cost_bytes = 0;
  std::uint64_t sequence = 0;    ///< Number in the order of pushes, from 1.
  std::uint64_t ready_rank = 0;  ///< Among ready operations of equal priority, the least is first.
  int priority = 0;
  bool is_event = false;  ///< Runs even if what is queued is dropped: others wait for it.
  /// Until it is ready: ungranted accesses, plus one until it is added and one while it is held
  /// back.
  std::uint32_t missing_grants = 0;
  FailurePtr failure{};  ///< Its own, or inherited from a dependency.
  /// Poison that it replaced; destroyed outside the lock.
  std::forward_list<FailurePtr> displaced{};
  Stream* stream = nullptr;       ///< The stream that counts it, or null.
  OperationNode* next = nullptr;  ///< In the list that contains it.

  /// Moves `operation` into this node as number `sequence_number`, merges variables listed more
  /// than once and records the write in each variable that it writes. `engine` identifies the
  /// caller.
  /// @throws std::bad_alloc, leaving `operation` and its variables unchanged.
  void assign(Operation& operation, std::uint64_t sequence_number, const void* engine);

  /// Drops every reference. Runs user destructors.
  void drop_references() noexcept;
};

/// A first-in first-out list of nodes, linked through `next`. Owns nothing, allocates nothing.
class OperationList {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  /// Precondition: not empty.
  [[nodiscard]] OperationNode* front() const noexcept { return first_; }
  [[nodiscard]] OperationNode* back() const noexcept { return last_; }
  void push_back(OperationNode& node) noexcept;
  /// Removes and returns the first node; null when empty.
  OperationNode* pop_front() noexcept;

 private:
  OperationNode* first_ = nullptr;
  OperationNode* last_ = nullptr;
};

}  // namespace runahead::engine
