#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/record/figures.h"
#include "core/report/cell_pairs.h"
#include "core/report/ratio.h"
#include "core/report/run.h"

namespace runahead::report {

/// Smallest change of a ratio that is named, if chance does not explain it (`discoveries`).
inline constexpr double kLeastChange = 0.01;

/// Two sweeps compared cell by cell: the ratio of each figure, and what became slower or larger.
struct TwoSweeps {
  std::string first_source{};
  std::string second_source{};
  std::vector<record::Figure> figures{};
  std::vector<CellPair> both{};   ///< Cells of both sweeps.
  std::vector<CellPair> alone{};  ///< Cells of only one sweep, without ratios.

  /// The ratio of a figure over all cells that have a ratio.
  [[nodiscard]] std::optional<Ratio> overall(std::size_t figure) const;
  /// The same if there are several cells and it is a change: its interval is on one side of 1, and
  /// it is as large as a cell's change must be; else nullopt.
  [[nodiscard]] std::optional<Ratio> overall_change(std::size_t figure) const;
};

/// Compares the runs of two sweeps, which must outlive the result.
[[nodiscard]] TwoSweeps compare_sweeps(std::span<const Run> first, std::span<const Run> second);

}  // namespace runahead::report
