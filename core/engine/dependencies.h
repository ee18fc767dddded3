#pragma once

#include "core/engine/operation_node.h"

/// The hazards between operations, and the way of poison along them. No threads here: the engine
/// that calls these functions orders the calls, and adds operations in the order of pushes.
namespace runahead::engine {

/// Takes up `node`, once it is assigned.
/// @return whether it is ready: nothing before it stands in the way.
[[nodiscard]] bool add_operation(OperationNode& node) noexcept;

/// Ends `node`, which was ready and has run or been skipped: poisons what it writes if it has a
/// failure, clears the poison of what it overwrote if it has none, and appends the operations that
/// thereby become ready to `ready`. Drops no reference: what it displaces stays in the node.
void complete_operation(OperationNode& node, OperationList& ready) noexcept;

}  // namespace runahead::engine
