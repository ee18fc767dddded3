#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <vector>

/// The ratio of a figure between two sets of runs, and its uncertainty.
///
/// Times and sizes differ by factors, so their logarithms are compared: ratios are of geometric
/// means, with Student's intervals over the logarithms.
namespace runahead::report {

/// Confidence level of the intervals of of_two and over_all.
inline constexpr double kConfidence = 0.95;
/// Largest expected share of chance results among the changes that `discoveries` names.
inline constexpr double kFalseDiscoveries = 0.05;

/// A ratio and its interval. There is no interval if a side was measured once or if the figures do
/// not scatter: a few figures that are equal to the byte do not show that the next one would be.
struct Ratio {
  double value = 1.0;
  std::optional<double> lower{};
  std::optional<double> upper{};
  /// Probability of a ratio at least this far from 1 if there is no difference (p-value).
  std::optional<double> chance{};
};

/// The ratio of pairs that were measured side by side, from the logarithms of their ratios:
/// exp(m ± t · s / √n), where t is the `quantile` of Student's distribution for n - 1 degrees of
/// freedom. `quantile` is above 0.5.
[[nodiscard]] Ratio of_pairs(std::span<const double> log_ratios, double quantile);

/// Second over first, for unpaired runs that may differ in number and in scatter: exp(d ± t
/// √(a + b)), where d is the difference of the means of the logarithms, a = s₁²/n₁, b = s₂²/n₂, and
/// t is Student's for (a + b)² / (a²/(n₁-1) + b²/(n₂-1)) degrees of freedom (B. L. Welch,
/// Biometrika 34, 1947). The runs are assumed to be independent.
/// @return nullopt if a side is empty or not all figures are above 0.
[[nodiscard]] std::optional<Ratio> of_two(std::span<const double> first,
                                          std::span<const double> second);

/// The chance of a difference of means as large as this one between values of one distribution
/// (two-sided, Welch's). For figures that have no ratio, because some values are not above 0.
/// nullopt without two values on each side, without scatter, or if a value is not finite.
[[nodiscard]] std::optional<double> chance_of_difference(std::span<const double> first,
                                                         std::span<const double> second);

/// The geometric mean of ratios, with Student's interval over them; nullopt if there are fewer than
/// two.
[[nodiscard]] std::optional<Ratio> over_all(const std::vector<Ratio>& ratios);

/// The indices of the chances that are too small to be chance. Of 100 intervals at 95 %, five miss
/// by chance alone. The step-up procedure of Benjamini and Hochberg (1995) bounds the share of such
/// misses among the differences that it names.
[[nodiscard]] std::set<std::size_t> discoveries(const std::vector<std::optional<double>>& chances);

}  // namespace runahead::report
