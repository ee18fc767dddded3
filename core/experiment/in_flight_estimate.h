#pragma once

#include <vector>

namespace runahead::experiment {

/// Estimates the most operations in flight at once, assuming that all take the same time and run
/// one after another. At `issued_seconds[i]`, when call i has returned, those in flight are the
/// operations issued so far that have not had their turn yet. The result is about 0 if calls
/// execute, the number of operations if no call blocks, and otherwise the bound on them.
/// @param issued_seconds  In the order of calls, from the first one's begin on; at least one.
/// @param total_seconds  Until the last had finished, above 0.
[[nodiscard]] double most_in_flight(const std::vector<double>& issued_seconds,
                                    double total_seconds);

}  // namespace runahead::experiment
