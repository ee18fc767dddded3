#pragma once

#include <vector>

namespace runahead::experiment {

/// Estimates the most operations in flight at once, assuming that all take the same time and run
/// one after another. At `issued_seconds[i]`, when call i has returned, the operations in flight
/// are those issued so far whose turn has not come yet. The result is about 0 if the calls
/// themselves execute, the number of operations if no call blocks, and otherwise the bound on
/// operations in flight.
/// @param issued_seconds  Time of each call's return since the start of the first, in call order;
///        at least one.
/// @param total_seconds  Time until the last operation had finished; above 0.
[[nodiscard]] double most_in_flight(const std::vector<double>& issued_seconds,
                                    double total_seconds);

}  // namespace runahead::experiment
