#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/statistics.h"
#include "core/report/comparison.h"
#include "core/report/run.h"
#include "core/report/table.h"

namespace runahead::report {

/// Every run with its state and figures. @param slug_of  Slug of the comparison that shows a run.
[[nodiscard]] Table table_of_runs(const std::vector<Run>& runs,
                                  const std::function<std::string(const Run&)>& slug_of);

/// The runs of one table row: the fields that they share, and the spread of their figures.
struct Repeats {
  std::vector<std::string> fields{};             ///< Values of axes, or a name.
  std::string states{};                          ///< "2 ok, 1 crashed".
  std::vector<std::optional<Spread>> figures{};  ///< One for each of figures_in(record::kSweep).
};

/// Rows under the headings of their fields.
struct RepeatsTable {
  std::vector<std::string> headings{};
  std::vector<Repeats> rows{};
};

/// A row for each combination of axis values, of each folder. Figures cover the repeats that are
/// ok.
[[nodiscard]] RepeatsTable repeats_table(const std::vector<Run>& runs);

/// A share as a signed percentage with one decimal below 10 %: "+2.1 %", "-43 %", "0.0 %".
[[nodiscard]] std::string signed_percent(double share);

/// Median and range of each figure that a row has: "11.0 s (10.0 s to 14.0 s)", "0.887 (2 of 3 not
/// finite)".
[[nodiscard]] Table to_table(const RepeatsTable& repeats);

/// Raw numbers; an empty field was not measured.
[[nodiscard]] std::string to_csv(const RepeatsTable& repeats);

/// Three tables: the parts of RSS, the predictions of the cost model, and the operators that
/// blocked. A table has no rows if none of its values was measured.
[[nodiscard]] std::vector<Table> tables_of(const Comparison& comparison);

/// The axes of runs as JSON pointers; {"run"} if there are none.
[[nodiscard]] std::vector<std::string> axis_pointers(const std::vector<const Run*>& runs);

/// The value of each axis of a run: "" for an axis that it lacks, the run's name for "run".
[[nodiscard]] std::vector<std::string> axis_fields(const Run& run,
                                                   const std::vector<std::string>& pointers);

/// The values of a figure in the runs that are ok and have it, as Run::measured.
[[nodiscard]] std::vector<double> ok_values(const std::vector<const Run*>& runs,
                                            const std::string& pointer);

}  // namespace runahead::report
