#pragma once

#include <vector>

#include "core/engine/observer.h"
#include "core/engine/operation.h"

namespace runahead::engine {

/// The variables that an operation names, each once, and how it uses them. Call it only inside the
/// observer's call; what it returns keeps the variables alive.
/// @return nothing for an event that no engine made. @throws std::bad_alloc.
[[nodiscard]] std::vector<Access> accesses_of(const OperationEvent& event);

}  // namespace runahead::engine
