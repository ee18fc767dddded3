#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"

namespace runahead::trace {

/// Why an operation must come after an earlier one.
enum class Hazard : std::uint8_t {
  kReadAfterWrite,   ///< It uses a value that the earlier one wrote.
  kWriteAfterRead,   ///< It changes a value that the earlier one reads.
  kWriteAfterWrite,  ///< It replaces a value that the earlier one wrote.
};

/// An operation that was pushed, and when it ran.
struct GraphOperation {
  std::string name{};
  std::string operands{};  ///< Empty if the body does not describe itself.
  int worker = -1;         ///< -1 for the pushing thread, or if it has not begun.
  std::optional<TimePoint> begun{};
  std::optional<TimePoint> ended{};
};

/// Indices of operations: `after` must wait for `before`.
struct Dependency {
  std::size_t before = 0;
  std::size_t after = 0;
  Hazard hazard = Hazard::kReadAfterWrite;
};

/// The dependencies of an engine's operations, from their reads and writes. Omits dependencies that
/// follow from others through the same variable. Each pair of operations occurs once.
struct DependencyGraph {
  std::vector<GraphOperation> operations{};  ///< In push order.
  std::vector<Dependency> dependencies{};    ///< Ordered by `after`.
  std::uint64_t left_out = 0;                ///< Operations pushed beyond the bound.
};

/// Whether every operation began after all operations that it depends on had ended; false if one
/// has not run.
[[nodiscard]] bool is_order_kept(const DependencyGraph& graph);

/// The operations that have begun, ordered by begin time.
[[nodiscard]] std::vector<std::size_t> order_of_begins(const DependencyGraph& graph);

/// The largest number of operations that were running at the same time.
[[nodiscard]] std::size_t parallel_peak(const DependencyGraph& graph);

/// For each operation, the length of the longest dependency chain that leads to it; 0 if none.
[[nodiscard]] std::vector<std::size_t> layers_of(const DependencyGraph& graph);

}  // namespace runahead::trace
