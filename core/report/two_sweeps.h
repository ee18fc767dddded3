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
  /// The ratio of each figure over all cells that have one, if there are several. A change has its
  /// word, and was judged with those of the cells.
  std::vector<Compared> together{};

  /// Whether the repeats of any cell can show a difference.
  [[nodiscard]] bool judges_any() const;
  /// The number of differences that are open (Compared::is_open).
  [[nodiscard]] std::size_t open_count() const;
};

/// Compares the runs of two sweeps, which must outlive the result.
[[nodiscard]] TwoSweeps compare_sweeps(std::span<const Run> first, std::span<const Run> second);

}  // namespace runahead::report
