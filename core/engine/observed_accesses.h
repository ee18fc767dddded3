#pragma once

#include <vector>

#include "core/engine/observer.h"
#include "core/engine/operation.h"

namespace runahead::engine {

/// The variables that an operation names, each once, and how it uses them. Call it only inside an
/// observer callback; the result keeps the variables alive.
/// @return an empty vector for an event that no engine created. @throws std::bad_alloc.
[[nodiscard]] std::vector<Access> accesses_of(const OperationEvent& event);

}  // namespace runahead::engine
