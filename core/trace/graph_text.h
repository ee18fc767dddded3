#pragma once

#include <string>

#include "core/trace/dependency_graph.h"

namespace runahead::trace {

/// One line per operation: `3 mul(Float[1, 2], Float[1, 2]) after 1, 2`. A number is followed by
/// its hazard in brackets unless the hazard is read after write.
[[nodiscard]] std::string graph_text(const DependencyGraph& graph);

/// For Graphviz. Dashed arrows are hazards that only order operations: no value flows along them.
/// Source of the format: graphviz.org, "DOT Language".
[[nodiscard]] std::string graph_dot(const DependencyGraph& graph);

/// A picture with one row per layer (layers_of()). Arrows are dashed as in graph_dot.
[[nodiscard]] std::string graph_svg(const DependencyGraph& graph);

}  // namespace runahead::trace
