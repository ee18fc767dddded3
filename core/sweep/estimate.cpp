#include "core/sweep/estimate.h"

#include <algorithm>

#include "core/base/error.h"

namespace runahead::sweep {

Estimate estimate(const config::SweepConfig& sweep, std::size_t runs, int jobs,
                  std::optional<double> run_seconds) {
  RUNAHEAD_REQUIRE(jobs >= 1, "no run can run at once");
  const std::size_t at_once = std::min(runs, static_cast<std::size_t>(jobs));
  const std::size_t rounds = at_once == 0 ? 0 : (runs + at_once - 1) / at_once;
  const auto in_rounds = [rounds](std::optional<double> seconds) {
    return seconds ? std::optional(*seconds * static_cast<double>(rounds)) : std::nullopt;
  };
  Estimate found{.runs = runs,
                 .seconds = in_rounds(run_seconds),
                 .most_seconds = in_rounds(sweep.timeout_seconds)};
  if (sweep.memory_limit_bytes) found.most_memory_bytes = *sweep.memory_limit_bytes * at_once;
  return found;
}

}  // namespace runahead::sweep
