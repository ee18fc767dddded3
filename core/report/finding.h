#pragma once

#include <span>
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
/// least. Each folder is treated separately. Lines that shared CPUs with others are left out.
/// Figures are medians over the repeats, and a difference that they do not show is said to be
/// noise.
[[nodiscard]] std::string headline(const Comparison& comparison);

/// What running ahead cost and saved, in one sentence: "Not waiting cost 119 MB more memory and
/// saved 11 % of the time (medians of 3 repeats)." In each comparison and sweep, the line that ran
/// ahead furthest is compared with the one that ran ahead least. A difference that the repeats do
/// not show is not named: it is "no more than noise", as `Compared` judges. Several comparisons
/// give ranges; one of several is named; a single line gives its own memory growth. Lines that
/// shared CPUs with others are left out. "" if nothing is known.
[[nodiscard]] std::string verdict(std::span<const Comparison> comparisons);

/// What the run of a line did with time and memory: the medians of its repeats, and which repeat
/// charts and tables show.
[[nodiscard]] std::string sentence(const Line& line);

/// The number of runs and their states: "3 runs: 2 ok, 1 crashed."
[[nodiscard]] std::string overview(const std::vector<Run>& runs);

/// "2 ok, 1 crashed", the most frequent first.
[[nodiscard]] std::string tally(const std::vector<std::string>& names);

/// tally() of the states of runs.
[[nodiscard]] std::string states(const std::vector<const Run*>& runs);

}  // namespace runahead::report
