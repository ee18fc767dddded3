#pragma once

#include <vector>

namespace runahead::experiment {

/// The most operations in flight at once, if all take the same time, one after another: of those
/// whose calls had returned after `issued_seconds[i]`, those that had not had their turn by then.
/// About 0 where calls execute, their number where no call blocks, else the bound on them.
/// @param issued_seconds  In the order of calls, from the first one's begin on; at least one.
/// @param total_seconds  Until the last had finished, above 0.
[[nodiscard]] double most_in_flight(const std::vector<double>& issued_seconds,
                                    double total_seconds);

}  // namespace runahead::experiment
