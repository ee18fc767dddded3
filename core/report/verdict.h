#pragma once

#include <span>
#include <string>

#include "core/report/comparison.h"

namespace runahead::report {

/// What running ahead cost and saved, in one sentence: "Not waiting cost 119 MB more memory and
/// saved 11 % of the time." In each comparison and sweep, the line that ran ahead furthest is
/// compared with the one that ran ahead least. Several comparisons give ranges; a single line gives
/// its own memory growth. Runs that shared CPUs with others are left out. "" if nothing is known.
[[nodiscard]] std::string verdict(std::span<const Comparison> comparisons);

}  // namespace runahead::report
