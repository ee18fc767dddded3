#pragma once

#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/report/comparison.h"
#include "core/report/run.h"

/// Findings in sentences. Parts that were not measured are left out.
namespace runahead::report {

/// What a run that counts batches in flight did: "Without a wait the front end finished issuing
/// after 262 ms; up to 97 batches were in flight; their inputs held 204 MB." "" for other runs.
/// @param record  The document of a record.
[[nodiscard]] std::string finding(const Json& record);

/// What the line that ran ahead furthest did, and how it compares with the one that ran ahead
/// least. Each folder is treated separately. Runs that shared CPUs with others are left out.
[[nodiscard]] std::string headline(const Comparison& comparison);

/// What one run did with time and memory.
[[nodiscard]] std::string sentence(const Run& run);

/// The number of runs and their states: "3 runs: 2 ok, 1 crashed."
[[nodiscard]] std::string overview(const std::vector<Run>& runs);

/// "2 ok, 1 crashed", the most frequent first.
[[nodiscard]] std::string tally(const std::vector<std::string>& names);

/// tally() of the states of runs.
[[nodiscard]] std::string states(const std::vector<const Run*>& runs);

}  // namespace runahead::report
