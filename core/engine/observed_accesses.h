#pragma once

#include <vector>

#include "core/engine/observer.h"
#include "core/engine/operation.h"

namespace runahead::engine {

/// The variables that an operation names, each once, and how it uses them. To be called during the
/// call that told of the event; keeping what it returns keeps the variables.
/// @return nothing for an event that no engine made. @throws std::bad_alloc.
[[nodiscard]] std::vector<Access> accesses_of(const OperationEvent& event);

}  // namespace runahead::engine
