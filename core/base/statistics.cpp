#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
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
  std::vector<double> finite;
  std::ranges::copy_if(values, std::back_inserter(finite),
                       [](double value) { return std::isfinite(value); });
  const std::size_t others = values.size() - finite.size();
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (finite.empty()) return Spread{kNone, kNone, kNone, 0, others};
  const auto [min, max] = std::ranges::minmax_element(finite);
  return Spread{median(finite), *min, *max, finite.size(), others};
}

Json to_json(const std::optional<Spread>& spread) {
  if (!spread || spread->count == 0) return nullptr;
  Json document = {{"median", spread->median},
                   {"min", spread->min},
                   {"max", spread->max},
                   {"count", spread->count}};
  if (spread->not_finite > 0) document["not_finite"] = spread->not_finite;
  return document;
}

}  // namespace runahead
