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
  kReadAfterWrite,   ///< It uses what the earlier one wrote.
  kWriteAfterRead,   ///< It changes what the earlier one reads.
  kWriteAfterWrite,  ///< It replaces what the earlier one wrote.
};

/// An operation that was pushed, and when it ran.
struct GraphOperation {
  std::string name{};
  std::string operands{};  ///< Its operands; empty if the body does not describe itself.
  int worker = -1;         ///< -1: the pushing thread, or it has not begun.
  std::optional<TimePoint> begun{};
  std::optional<TimePoint> ended{};
};

/// Indices of operations: `after` must wait for `before`.
struct Dependency {
  std::size_t before = 0;
  std::size_t after = 0;
  Hazard hazard = Hazard::kReadAfterWrite;
};

/// The dependencies of an engine's operations, by their reads and writes. Omits those that follow
/// from others through the same variable; each pair of operations occurs once.
struct DependencyGraph {
  std::vector<GraphOperation> operations{};  ///< In the order of pushes.
  std::vector<Dependency> dependencies{};    ///< In the order of `after`.
  std::uint64_t left_out = 0;                ///< Operations pushed beyond the bound.
};

/// Whether every operation began after everything it depends on had ended; false if one has not
/// run.
[[nodiscard]] bool is_order_kept(const DependencyGraph& graph);

/// The operations that have begun, by the time of their begin.
[[nodiscard]] std::vector<std::size_t> order_of_begins(const DependencyGraph& graph);

/// The most operations that were running at one moment.
[[nodiscard]] std::size_t parallel_peak(const DependencyGraph& graph);

/// For each operation the length of the longest chain of dependencies that leads to it; 0 without.
[[nodiscard]] std::vector<std::size_t> layers_of(const DependencyGraph& graph);

}  // namespace runahead::trace
