#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/base/json.h"

namespace runahead {

/// Median and range of a figure over repeats.
struct Spread {
  double median = 0.0;  ///< For an even count, the mean of the middle two.
  double min = 0.0;
  double max = 0.0;
  std::size_t count = 0;
};

/// nullopt if there are no values.
[[nodiscard]] std::optional<Spread> spread_of(const std::vector<double>& values);

/// `spread` as {median, min, max, count}; null for nullopt.
[[nodiscard]] Json to_json(const std::optional<Spread>& spread);

}  // namespace runahead
