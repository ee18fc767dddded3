#pragma once

#include <string>
#include <vector>

#include "core/sweep/plan.h"
#include "core/sweep/summary.h"
#include "core/sweep/sweep.h"

namespace runahead::apps {

/// The table at the end of a sweep: for each cell its axis values, its status, and the median of
/// each figure over the repeats, with the range if there are several. "-" if not measured.
/// @param is_coloured  Colours the status green, red or yellow, for a terminal.
[[nodiscard]] std::string sweep_table(const std::vector<sweep::CellSummary>& summaries,
                                      bool is_coloured = false);

/// The tables of a sweep's result: one of the cells, unless there are more than 100, and, if
/// several keys vary or the cells are not listed, one with a row for each value of each axis over
/// all cells that have it. A note names what is not listed.
[[nodiscard]] std::string sweep_tables(const sweep::Plan& plan, const sweep::SweepResult& result,
                                       bool is_coloured = false);

/// The axis values in one line: "sync/policy=none data/batch_size=256".
[[nodiscard]] std::string describe_axes(const Json& axes);

}  // namespace runahead::apps
