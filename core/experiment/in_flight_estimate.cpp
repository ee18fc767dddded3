#include "core/experiment/in_flight_estimate.h"

#include <algorithm>
#include <cstddef>

#include "core/base/error.h"

namespace runahead::experiment {

double most_in_flight(const std::vector<double>& issued_seconds, double total_seconds) {
  RUNAHEAD_REQUIRE(!issued_seconds.empty() && total_seconds > 0.0, "nothing was issued");
  const double each = total_seconds / static_cast<double>(issued_seconds.size());
  double peak = 0.0;
  for (std::size_t i = 0; i < issued_seconds.size(); ++i) {
    peak = std::max(peak, static_cast<double>(i + 1) - issued_seconds[i] / each);
  }
  return peak;
}

}  // namespace runahead::experiment
