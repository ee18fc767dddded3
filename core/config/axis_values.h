#pragma once

#include <string>
#include <vector>

#include "core/base/json_reader.h"

namespace runahead::config {

/// Most values of one axis.
inline constexpr std::size_t kMaxAxisValues = 10'000;

/// Reads the values of an axis: an array of them, or an object with one key that generates numbers.
///
/// | key | its keys | values |
/// |---|---|---|
/// | `range` | `from`, `to`, `step` (1) | from, from ± step, …, up or down to `to` at most |
/// | `logspace` | `from`, `to`, `count`, `whole` (false) | `count` in equal ratios, both ends |
/// | `powers_of_two` | `from`, `to` | the powers of two from `from` to `to` |
///
/// Whole numbers are written as such; others are rounded to 12 significant digits: 0.3, not
/// 0.30000000000000004. `whole` rounds to whole numbers and merges equal neighbours.
/// @param pointer  Where `found` is, for the problems.
/// @return Empty if something is wrong, which is then among the problems.
[[nodiscard]] std::vector<Json> read_axis_values(const Json& found, const std::string& pointer,
                                                 JsonProblems& problems);

/// The JSON Schema of what read_axis_values accepts.
[[nodiscard]] Json axis_values_schema();

}  // namespace runahead::config
