#pragma once

#include "core/engine/operation_node.h"

/// Hazards between operations, and how poison propagates along them. Not thread-safe: the engine
/// serializes the calls, and adds operations in the order of pushes.
namespace runahead::engine {

/// Adds `node`, already assigned, to the queues of its variables.
/// @return whether it is ready: every access is granted.
[[nodiscard]] bool add_operation(OperationNode& node) noexcept;

/// Completes `node`, which was ready and has run or been skipped: poisons what it writes if it
/// has a failure, otherwise clears the poison of what it overwrote, and appends the operations that
/// become ready to `ready`. Drops no reference: poison that it displaces stays in the node.
void complete_operation(OperationNode& node, OperationList& ready) noexcept;

}  // namespace runahead::engine
