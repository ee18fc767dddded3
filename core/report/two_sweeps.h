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

/// A change is named if chance does not explain it (`discoveries`) and if it is at least this
/// large.
inline constexpr double kLeastChange = 0.01;
/// RSS moves by pages and arenas: a smaller difference of a size is not named.
inline constexpr double kLeastBytes = 1e6;

/// Two sweeps cell by cell: the ratio of each figure, and what became slower or larger.
struct TwoSweeps {
  std::string first_source{};
  std::string second_source{};
  std::vector<record::Figure> figures{};
  std::vector<CellPair> both{};   ///< Cells of both sweeps.
  std::vector<CellPair> alone{};  ///< Cells of one of them, without ratios.

  /// The ratio of a figure over all cells that have one.
  [[nodiscard]] std::optional<Ratio> overall(std::size_t figure) const;
};

/// Compares the runs of two sweeps, which must outlive the result.
[[nodiscard]] TwoSweeps compare_sweeps(std::span<const Run> first, std::span<const Run> second);

}  // namespace runahead::report
