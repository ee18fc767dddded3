#pragma once

#include <string>
#include <vector>

#include "core/sweep/plan.h"
#include "core/sweep/summary.h"
#include "core/sweep/sweep.h"

namespace runahead::apps {

/// The table at the end of a sweep: per cell the axes' values, the status, and the median of each
/// figure over the repeats, with its range where there are several. "-" is not measured.
/// @param is_coloured  For a terminal: the status is green, red or yellow.
[[nodiscard]] std::string sweep_table(const std::vector<sweep::CellSummary>& summaries,
                                      bool is_coloured = false);

/// The tables of a sweep's result as they fit: one of the cells unless they are more than 100; and,
/// where several keys vary or the cells are not listed, one that has for each value of each axis
/// the runs of all cells that have it. What is not listed is said.
[[nodiscard]] std::string sweep_tables(const sweep::Plan& plan, const sweep::SweepResult& result,
                                       bool is_coloured = false);

/// The axes' values in one line: "sync/policy=none data/batch_size=256".
[[nodiscard]] std::string describe_axes(const Json& axes);

}  // namespace runahead::apps
