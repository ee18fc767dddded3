#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <vector>

/// How many times as much a figure is in one set of runs as in another, and how sure that is.
///
/// Times and sizes differ by factors, so their logarithms are compared: a ratio is one of geometric
/// means, and intervals are Student's over the logarithms.
namespace runahead::report {

/// Of the intervals of of_two and over_all.
inline constexpr double kConfidence = 0.95;
/// The largest mean share of chance among the changes that `discoveries` names.
inline constexpr double kFalseDiscoveries = 0.05;

/// A ratio and its interval. There is none if a side was measured once or if nothing scatters: a
/// few figures that are equal to the byte do not show that the next one would be.
struct Ratio {
  double value = 1.0;
  std::optional<double> lower{};
  std::optional<double> upper{};
  /// Probability of a ratio at least as far from 1 if there is no difference.
  std::optional<double> chance{};
};

/// The ratio of pairs that were measured side by side, from the logarithms of their ratios:
/// exp(m ± t · s / √n), with t the `quantile` of Student's distribution for n - 1 degrees of
/// freedom. `quantile` is above 0.5.
[[nodiscard]] Ratio of_pairs(std::span<const double> log_ratios, double quantile);

/// Second over first, of runs that are no pairs and may differ in number and in scatter: exp(d ± t
/// √(a + b)) with d the difference of the means of the logarithms, a = s₁²/n₁, b = s₂²/n₂, and t
/// Student's for (a + b)² / (a²/(n₁-1) + b²/(n₂-1)) degrees of freedom (B. L. Welch, Biometrika 34,
/// 1947). The runs are assumed to be independent.
/// @return nullopt if a side is empty or not all figures are above 0.
[[nodiscard]] std::optional<Ratio> of_two(std::span<const double> first,
                                          std::span<const double> second);

/// The geometric mean of ratios, with Student's interval over them. One ratio is itself.
[[nodiscard]] std::optional<Ratio> over_all(const std::vector<Ratio>& ratios);

/// The indices of the ratios that differ from 1. Of 100 intervals at 95 %, five miss by chance
/// alone; the step-up rule of Benjamini and Hochberg (1995) bounds the share of such misses among
/// the ratios that it names.
[[nodiscard]] std::set<std::size_t> discoveries(const std::vector<std::optional<Ratio>>& ratios);

}  // namespace runahead::report
