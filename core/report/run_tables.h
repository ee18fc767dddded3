#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/report/comparison.h"
#include "core/report/run.h"
#include "core/report/table.h"

namespace runahead::report {

/// Every run with its state and figures. @param slug_of  The comparison that shows a run.
[[nodiscard]] Table table_of_runs(const std::vector<Run>& runs,
                                  const std::function<std::string(const Run&)>& slug_of);

/// A row for each combination of axis values, with median and spread of each figure over the
/// repeats that are ok.
[[nodiscard]] Table table_of_repeats(const std::vector<Run>& runs);

/// The same as CSV: raw numbers; an empty field is not measured.
[[nodiscard]] std::string csv_of_repeats(const std::vector<Run>& runs);

/// What RSS was made of, what the cost model predicted, and which operators blocked, a table each;
/// without rows where nothing of it was measured.
[[nodiscard]] std::vector<Table> tables_of(const Comparison& comparison);

/// The axes of runs, in the order in which they come: JSON pointers.
[[nodiscard]] std::vector<std::string> axis_pointers(const std::vector<const Run*>& runs);

/// The value of each axis of a run; its name where there are no axes.
[[nodiscard]] std::vector<std::string> axis_fields(const Run& run,
                                                   const std::vector<std::string>& pointers);

/// The values of a figure in the runs that are ok.
[[nodiscard]] std::vector<double> ok_values(const std::vector<const Run*>& runs,
                                            const std::string& pointer);

}  // namespace runahead::report
