#include "core/report/ratio.h"

// Boost's start-up code computes with long doubles, which overflow under valgrind.
#define BOOST_MATH_NO_LONG_DOUBLE_MATH_FUNCTIONS

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <utility>

#include "core/base/statistics.h"

namespace runahead::report {
namespace {

/// exp, clamped to the range of a double: runs that differ wildly have a wild interval.
double power(double logarithm) { return std::exp(std::clamp(logarithm, -690.0, 690.0)); }

/// Logarithms that differ by less are of equal figures: sums of them are rounded.
constexpr double kRounding = 1e-12;

/// Sample variance (over n - 1) of at least two values; exactly 0 if they are equal.
double variance(std::span<const double> values) {
  const auto [least, most] = std::ranges::minmax_element(values);
  if (*most - *least < kRounding) return 0.0;
  const double center = mean(values);
  double squares = 0.0;
  for (const double value : values) squares += (value - center) * (value - center);
  return squares / static_cast<double>(values.size() - 1);
}

double two_tails(const boost::math::students_t& student, double value) {
  return 2.0 * boost::math::cdf(boost::math::complement(student, std::abs(value)));
}

/// Welch's test: the difference of two means, its standard error and degrees of freedom.
struct Welch {
  double difference = 0.0;
  double error = 0.0;  ///< 0 if the values do not scatter.
  double degrees = 1.0;
};

/// @param first, second  At least two values each.
Welch welch_of(std::span<const double> first, std::span<const double> second) {
  const auto count_first = static_cast<double>(first.size());
  const auto count_second = static_cast<double>(second.size());
  const double a = variance(first) / count_first;
  const double b = variance(second) / count_second;
  const double difference = mean(second) - mean(first);
  if (a + b == 0.0) return {.difference = difference};
  const double squares = a * a / (count_first - 1.0) + b * b / (count_second - 1.0);
  return {difference, std::sqrt(a + b), (a + b) * (a + b) / squares};
}

/// The ratio and its interval, from a difference of logarithms and its standard error.
Ratio interval(double difference, double error, double degrees, double quantile) {
  if (!(error > 0.0)) return {.value = power(difference)};
  const boost::math::students_t student(degrees);
  const double half = boost::math::quantile(student, quantile) * error;
  return {.value = power(difference),
          .lower = power(difference - half),
          .upper = power(difference + half),
          .chance = two_tails(student, difference / error)};
}

constexpr double kQuantile = 1.0 - (1.0 - kConfidence) / 2.0;

std::vector<double> logarithms_of(std::span<const double> values) {
  std::vector<double> logarithms;
  for (const double value : values) logarithms.push_back(std::log(value));
  return logarithms;
}

bool are_above_zero(std::span<const double> values) {
  return !values.empty() && std::ranges::all_of(values, [](double value) { return value > 0.0; });
}

}  // namespace

Ratio of_pairs(std::span<const double> log_ratios, double quantile) {
  if (log_ratios.size() < 2) return {.value = power(mean(log_ratios))};
  const auto count = static_cast<double>(log_ratios.size());
  return interval(mean(log_ratios), std::sqrt(variance(log_ratios) / count), count - 1.0, quantile);
}

std::optional<Ratio> of_two(std::span<const double> first, std::span<const double> second) {
  if (!are_above_zero(first) || !are_above_zero(second)) return std::nullopt;
  const std::vector<double> left = logarithms_of(first);
  const std::vector<double> right = logarithms_of(second);
  if (std::min(left.size(), right.size()) < 2) {
    return Ratio{.value = power(mean(right) - mean(left))};
  }
  const Welch welch = welch_of(left, right);
  return interval(welch.difference, welch.error, welch.degrees, kQuantile);
}

std::optional<double> chance_of_difference(std::span<const double> first,
                                           std::span<const double> second) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (std::min(first.size(), second.size()) < 2 || !std::ranges::all_of(first, is_finite) ||
      !std::ranges::all_of(second, is_finite)) {
    return std::nullopt;
  }
  const Welch welch = welch_of(first, second);
  if (!(welch.error > 0.0)) return std::nullopt;
  return two_tails(boost::math::students_t(welch.degrees), welch.difference / welch.error);
}

std::optional<Ratio> over_all(const std::vector<Ratio>& ratios) {
  if (ratios.size() < 2) return std::nullopt;
  std::vector<double> logarithms;
  for (const Ratio& ratio : ratios) logarithms.push_back(std::log(ratio.value));
  return of_pairs(logarithms, kQuantile);
}

std::set<std::size_t> discoveries(const std::vector<std::optional<double>>& chances) {
  std::vector<std::pair<double, std::size_t>> ordered;
  for (std::size_t index = 0; index < chances.size(); ++index) {
    if (chances[index]) ordered.emplace_back(*chances[index], index);
  }
  std::ranges::sort(ordered);
  std::size_t named = 0;
  for (std::size_t rank = 1; rank <= ordered.size(); ++rank) {
    const double limit =
        kFalseDiscoveries * static_cast<double>(rank) / static_cast<double>(ordered.size());
    if (ordered[rank - 1].first <= limit) named = rank;
  }
  std::set<std::size_t> found;
  for (std::size_t rank = 0; rank < named; ++rank) found.insert(ordered[rank].second);
  return found;
}

}  // namespace runahead::report
