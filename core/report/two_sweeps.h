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

/// A change is named if chance does not explain it (`discoveries`) and it is at least this share.
inline constexpr double kLeastChange = 0.01;
/// RSS moves by pages and arenas: a smaller difference of a size is not named.
inline constexpr double kLeastBytes = 1e6;

/// One figure of one cell in both sweeps.
struct Compared {
  std::optional<double> first_median{};  ///< nullopt: no run that is ok has the figure.
  std::optional<double> second_median{};
  std::size_t first_count = 0;  ///< Of the runs that have it.
  std::size_t second_count = 0;
  std::optional<Ratio> ratio{};
  std::string change{};  ///< more_word or less_word of the figure; "" if it did not change.
  bool is_worse = false;
};

/// The figures of one cell in both sweeps, one for each of TwoSweeps::figures.
struct ComparedCell {
  CellPair cell{};
  std::vector<Compared> figures{};

  /// Whether all its runs were ok in the first sweep, and not in the second.
  [[nodiscard]] bool broke() const;
  [[nodiscard]] bool was_mended() const;
};

/// Two sweeps cell by cell: the ratio of each figure, and what became slower or larger.
struct TwoSweeps {
  std::string first_source{};
  std::string second_source{};
  std::vector<record::Figure> figures{};
  std::vector<ComparedCell> both{};   ///< Cells of both sweeps.
  std::vector<ComparedCell> alone{};  ///< Cells of one of them, without ratios.

  /// The ratio of a figure over all cells that have one.
  [[nodiscard]] std::optional<Ratio> overall(std::size_t figure) const;
};

/// Compares the runs of two sweeps, which must outlive the result.
[[nodiscard]] TwoSweeps compare_sweeps(std::span<const Run> first, std::span<const Run> second);

}  // namespace runahead::report
