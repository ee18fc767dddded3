#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/report/table.h"
#include "core/report/two_sweeps.h"

/// What became of the cells of a sweep in another: in sentences, tables and JSON.
namespace runahead::report {

/// "runs/new against runs/old, 12 cells: 2 slower, 1 larger; 1 no longer ok."
[[nodiscard]] std::string headline(const TwoSweeps& two);

/// Figure by figure; then the cells whose state changed and those of one sweep alone.
[[nodiscard]] std::vector<std::string> sentences(const TwoSweeps& two);

/// How ratios and intervals are made, and when a change is named.
[[nodiscard]] std::string method();

/// A row for each cell of both sweeps.
[[nodiscard]] Table table_of(const TwoSweeps& two);

/// Sentences and table for a terminal, of many cells those that changed first.
[[nodiscard]] std::string to_text(const TwoSweeps& two);

[[nodiscard]] std::string to_markdown(const TwoSweeps& two);

/// Raw numbers; an empty field is not measured. Cells of one sweep alone have no ratios.
[[nodiscard]] std::string to_csv(const TwoSweeps& two);

/// For the page and the charts.
[[nodiscard]] Json to_json(const TwoSweeps& two);

}  // namespace runahead::report
