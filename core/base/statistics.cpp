#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "core/base/error.h"

namespace runahead {

double mean(std::span<const double> values) {
  RUNAHEAD_REQUIRE(!values.empty(), "the mean of no values was asked for");
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(std::span<const double> values) { return percentile(values, 50.0); }

double percentile(std::span<const double> values, double percent) {
  RUNAHEAD_REQUIRE(!values.empty(), "a percentile of no values was asked for");
  RUNAHEAD_REQUIRE(percent >= 0.0 && percent <= 100.0, "a percentile is between 0 and 100");

  std::vector<double> ordered(values.begin(), values.end());
  const double position = static_cast<double>(ordered.size() - 1) * percent / 100.0;
  const auto below = static_cast<std::size_t>(position);
  const auto nth = ordered.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(ordered.begin(), nth, ordered.end());
  const double lower = *nth;
  if (nth + 1 == ordered.end()) return lower;
  const double upper = *std::min_element(nth + 1, ordered.end());
  return lower + (position - static_cast<double>(below)) * (upper - lower);
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
