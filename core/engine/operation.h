#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/engine/inline_vector.h"
#include "core/engine/operation_body.h"
#include "core/engine/variable.h"

namespace runahead::engine {

class Event;
class Stream;

/// How an operation uses a variable.
enum class AccessMode : std::uint8_t {
  kRead,       ///< Observes it.
  kWrite,      ///< Changes it, or a part of it: fails if the variable is poisoned.
  kOverwrite,  ///< Replaces all of it without reading the old value: clears poison.
  kOrder,      ///< Ordered like a write, but neither sets, clears nor propagates poison.
};

/// Whether an operation with this access sets or clears the variable's poison.
[[nodiscard]] constexpr bool sets_poison(AccessMode mode) noexcept {
  return mode == AccessMode::kWrite || mode == AccessMode::kOverwrite;
}

struct Access {
  VariablePtr variable{};
  AccessMode mode = AccessMode::kRead;
};

/// Accesses that fit into an operation without an allocation.
inline constexpr std::size_t kInlineAccesses = 6;
using AccessList = InlineVector<Access, kInlineAccesses>;

/// One unit of work and the variables it touches.
struct Operation {
  /// Label in traces and error messages. Must outlive the engine: a literal or an interned string.
  std::string_view name{};
  /// Runs at most once, on any worker; may throw. Destroyed right after it runs (or is skipped), on
  /// the worker, before the operation counts as finished.
  OperationBody body{};
  /// A variable may be listed more than once; if the modes differ, it counts as kWrite.
  AccessList accesses{};
  std::uint64_t cost_bytes = 0;  ///< Bytes that it will allocate, for the ledger.
  int priority = 0;              ///< Among ready operations, higher starts first.
  Stream* stream = nullptr;      ///< Null: the engine's default stream. Must outlive the operation.
  /// The event that this operation records, or null. If set, the operation starts once everything
  /// pushed on its stream before it has finished, and must list the event's variable as kOverwrite.
  /// See record_event.
  const Event* records = nullptr;
};

}  // namespace runahead::engine
