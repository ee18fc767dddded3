#pragma once

#include <string>

#include "core/trace/dependency_graph.h"

namespace runahead::trace {

/// A line an operation, `3 mul(Float[1, 2], Float[1, 2]) after 1, 2`; in brackets behind a number
/// the hazard, where it is not that the one reads what the other wrote.
[[nodiscard]] std::string graph_text(const DependencyGraph& graph);

/// For Graphviz. Dashed: the hazards that are only of order, no value flows.
/// Source of the format: graphviz.org, "DOT Language".
[[nodiscard]] std::string graph_dot(const DependencyGraph& graph);

/// A picture, in rows by the longest chain that leads to an operation. Dashed as in graph_dot.
[[nodiscard]] std::string graph_svg(const DependencyGraph& graph);

}  // namespace runahead::trace
