#pragma once

#include <string>
#include <vector>

#include "core/sweep/plan.h"
#include "core/sweep/summary.h"

namespace runahead::apps {

/// The table at the end of a sweep: per cell the axes' values, the status, and the median of each
/// figure over the repeats, with its range where there are several. "-" is not measured.
[[nodiscard]] std::string sweep_table(const std::vector<sweep::CellSummary>& summaries);

/// The axes' values in one line: "sync/policy=none data/batch_size=256".
[[nodiscard]] std::string describe_axes(const Json& axes);

}  // namespace runahead::apps
