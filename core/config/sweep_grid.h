#pragma once

#include <cstddef>

#include "core/base/json.h"
#include "core/config/sweep_config.h"

namespace runahead::config {

/// The number of combinations in a sweep, including excluded ones: those of the values of its axes
/// and zips (1 if it has neither, nor `cells`), and its `cells`. Repeats are not counted. A grid of
/// more than kMaxSweepCells counts as kMaxSweepCells + 1, which read_sweep refuses.
[[nodiscard]] std::size_t combination_count(const SweepConfig& sweep);

/// The values of one combination, as a JSON object from pointer to value. The grid's combinations
/// come first, axes before zips and the last varying fastest; then the `cells` as written.
/// @throws UsageError if `index` >= combination_count(sweep).
[[nodiscard]] Json axes_values(const SweepConfig& sweep, std::size_t index);

/// Whether `exclude` leaves this combination out; never true for one of `cells`.
/// @throws UsageError if `index` >= combination_count(sweep).
[[nodiscard]] bool is_excluded(const SweepConfig& sweep, std::size_t index);

}  // namespace runahead::config
