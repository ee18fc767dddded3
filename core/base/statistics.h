#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/base/json.h"

namespace runahead {

/// Values may be in any order. @throws UsageError if `values` is empty, like all functions here.
[[nodiscard]] double mean(std::span<const double> values);

/// The middle value in order, or the mean of the two middle ones.
[[nodiscard]] double median(std::span<const double> values);

/// exp(mean(log(v))). @throws UsageError if a value is not above 0.
[[nodiscard]] double geometric_mean(std::span<const double> values);

/// Median and range of a figure over repeats; NaN if no value was finite.
struct Spread {
  double median = 0.0;  ///< For an even count, the mean of the middle two.
  double min = 0.0;
  double max = 0.0;
  std::size_t count = 0;       ///< Of the finite values, which the others are about.
  std::size_t not_finite = 0;  ///< The number of other values.
};

/// nullopt if there are no values.
[[nodiscard]] std::optional<Spread> spread_of(const std::vector<double>& values);

/// `spread` as {median, min, max, count} and, if it is not 0, not_finite; null for nullopt.
[[nodiscard]] Json to_json(const std::optional<Spread>& spread);

}  // namespace runahead
