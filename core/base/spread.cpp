#include "core/base/spread.h"

#include <algorithm>

#include "core/base/statistics.h"

namespace runahead {

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
