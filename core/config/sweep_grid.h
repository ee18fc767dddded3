#pragma once

#include <cstddef>

#include "core/base/json.h"
#include "core/config/sweep_config.h"

namespace runahead::config {

/// Combinations that a sweep names, those that it excludes included: of the values of its axes and
/// zips (1 if it has neither, nor `cells`), and its `cells`. Repeats are not counted. A grid of
/// more than kMaxSweepCells counts as one more than that: read_sweep refuses it.
[[nodiscard]] std::size_t combination_count(const SweepConfig& sweep);

/// The values of one combination, as a JSON object from pointer to value: first those of the grid,
/// axes before zips, the last of them varying fastest; then the `cells` as they are written.
/// @throws UsageError if `index` >= combination_count(sweep).
[[nodiscard]] Json axes_values(const SweepConfig& sweep, std::size_t index);

/// Whether `exclude` leaves this combination out; never one of `cells`.
/// @throws UsageError if `index` >= combination_count(sweep).
[[nodiscard]] bool is_excluded(const SweepConfig& sweep, std::size_t index);

}  // namespace runahead::config
