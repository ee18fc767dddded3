#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/report/ratio.h"

namespace runahead::report {

/// Smallest difference of a size that is named: RSS moves by whole pages and arenas.
inline constexpr double kLeastBytes = 1e6;

/// One figure of two sets of runs: of one cell in two sweeps, or of two lines of one chart.
struct Compared {
  std::optional<double> first_median{};  ///< nullopt if no run that counts has the figure.
  std::optional<double> second_median{};
  std::size_t first_count = 0;  ///< Number of runs that count and have the figure.
  std::size_t second_count = 0;
  std::optional<Ratio> ratio{};
  std::optional<double> chance{};  ///< The ratio's or, without one, chance_of_difference().
  std::string change{};  ///< more_word or less_word of the figure; "" if it did not change.
  bool is_worse = false;
  bool is_left_out = false;       ///< A time of runs that shared their CPUs: it has no ratio.
  bool is_open = false;           ///< Large, but the repeats are too few or equal to judge it.
  bool is_at_least = false;       ///< The difference is a lower bound: a side was cut short.
  bool may_be_noise = false;      ///< Chance may explain the difference.
  bool scatter_overlaps = false;  ///< The values scatter, and the ranges of both sides overlap.

  [[nodiscard]] bool has_medians() const { return first_median && second_median; }
  /// Second minus first; both medians are known.
  [[nodiscard]] double difference() const { return *second_median - *first_median; }
  /// Second over first: the ratio or, without one, that of the medians, which may be infinite.
  [[nodiscard]] double factor() const {
    return ratio ? ratio->value : *second_median / *first_median;
  }
  /// Whether the means and the medians changed in the same direction: an outlier can make a ratio,
  /// which is of geometric means, disagree with the medians.
  [[nodiscard]] bool directions_agree() const;
  /// Whether the repeats show no difference. Without a chance, so with one run, the ranges decide.
  /// One run on each side never shows noise.
  [[nodiscard]] bool is_within_noise() const;
  /// Whether the repeats can show a difference.
  [[nodiscard]] bool is_judged() const { return chance.has_value(); }
};

/// Compares a figure of two sets of runs. Until `judge_together`, any difference may be noise.
[[nodiscard]] Compared compare_values(const std::vector<double>& first,
                                      const std::vector<double>& second);

/// Clears `may_be_noise` of the differences that chance does not explain (`discoveries`).
void judge_together(const std::vector<Compared*>& all);

}  // namespace runahead::report
