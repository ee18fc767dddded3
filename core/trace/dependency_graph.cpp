#include "core/trace/dependency_graph.h"

#include <algorithm>
#include <utility>

namespace runahead::trace {

bool is_order_kept(const DependencyGraph& graph) {
  const auto has_run = [](const GraphOperation& operation) {
    return operation.begun && operation.ended;
  };
  if (!std::ranges::all_of(graph.operations, has_run)) return false;
  return std::ranges::all_of(graph.dependencies, [&graph](const Dependency& dependency) {
    return *graph.operations[dependency.before].ended <= *graph.operations[dependency.after].begun;
  });
}

std::vector<std::size_t> order_of_begins(const DependencyGraph& graph) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    if (graph.operations[i].begun) order.push_back(i);
  }
  std::ranges::stable_sort(order, [&graph](std::size_t one, std::size_t other) {
    return *graph.operations[one].begun < *graph.operations[other].begun;
  });
  return order;
}

std::size_t parallel_peak(const DependencyGraph& graph) {
  // At equal times, ends sort before begins, so operations that only touch do not overlap.
  std::vector<std::pair<TimePoint, int>> changes;
  for (const GraphOperation& operation : graph.operations) {
    if (!operation.begun || !operation.ended) continue;
    changes.emplace_back(*operation.begun, 1);
    changes.emplace_back(*operation.ended, -1);
  }
  std::ranges::sort(changes);
  std::ptrdiff_t running = 0;
  std::ptrdiff_t peak = 0;
  for (const auto& [time, change] : changes) {
    running += change;
    peak = std::max(peak, running);
  }
  return static_cast<std::size_t>(peak);
}

std::vector<std::size_t> layers_of(const DependencyGraph& graph) {
  std::vector<std::size_t> layers(graph.operations.size(), 0);
  for (const Dependency& dependency : graph.dependencies) {
    std::size_t& layer = layers[dependency.after];
    layer = std::max(layer, layers[dependency.before] + 1);
  }
  return layers;
}

}  // namespace runahead::trace
