#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/report/table.h"
#include "core/report/two_sweeps.h"

/// The comparison of two sweeps as sentences, tables and JSON.
namespace runahead::report {

/// "runs/new against runs/old, 12 cells: 2 slower, 1 larger; 1 no longer ok."
[[nodiscard]] std::string headline(const TwoSweeps& two);

/// In this order: each figure, the cells whose state changed, the cells of only one sweep.
[[nodiscard]] std::vector<std::string> sentences(const TwoSweeps& two);

/// How differences and intervals are computed, and when a change is named.
[[nodiscard]] std::string method();

/// A row for each figure of each cell of both sweeps, and for its states where they differ.
[[nodiscard]] Table table_of(const TwoSweeps& two);

/// Sentences and a table for a terminal; the rows that changed come first.
[[nodiscard]] std::string to_text(const TwoSweeps& two);

[[nodiscard]] std::string to_markdown(const TwoSweeps& two);

/// Raw numbers; an empty field was not measured. Cells of only one sweep have no ratios.
[[nodiscard]] std::string to_csv(const TwoSweeps& two);

/// For the page, the charts and the terminal.
[[nodiscard]] Json to_json(const TwoSweeps& two);

}  // namespace runahead::report
