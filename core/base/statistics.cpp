#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

#include "core/base/error.h"

namespace runahead {

double mean(std::span<const double> values) {
  RUNAHEAD_REQUIRE(!values.empty(), "the mean of no values was asked for");
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(std::span<const double> values) {
  RUNAHEAD_REQUIRE(!values.empty(), "the median of no values was asked for");
  std::vector<double> ordered(values.begin(), values.end());
  const auto middle = ordered.begin() + (std::ssize(ordered) - 1) / 2;
  std::nth_element(ordered.begin(), middle, ordered.end());
  if (ordered.size() % 2 == 1) return *middle;
  const double upper = *std::min_element(middle + 1, ordered.end());
  return *middle + 0.5 * (upper - *middle);
}

double geometric_mean(std::span<const double> values) {
  RUNAHEAD_REQUIRE(!values.empty(), "the geometric mean of no values was asked for");
  double sum_of_logs = 0.0;
  for (const double value : values) {
    RUNAHEAD_REQUIRE(value > 0.0, "a geometric mean needs values above 0");
    sum_of_logs += std::log(value);
  }
  return std::exp(sum_of_logs / static_cast<double>(values.size()));
}

std::optional<Spread> spread_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto [min, max] = std::ranges::minmax_element(values);
  return Spread{.median = median(values), .min = *min, .max = *max, .count = values.size()};
}

Json to_json(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"median", spread->median},
          {"min", spread->min},
          {"max", spread->max},
          {"count", spread->count}};
}

}  // namespace runahead
