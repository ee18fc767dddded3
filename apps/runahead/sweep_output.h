#pragma once

#include <filesystem>
#include <string>

#include "core/sweep/estimate.h"
#include "core/sweep/plan.h"
#include "core/sweep/sweep.h"

/// What `sweep` prints to stdout, except its tables.
namespace runahead::apps {

/// Prints what a sweep would run: every cell with its id and axis values, the reason for those that
/// it would skip, and an estimate; as text or as one JSON document.
void print_dry_run(const sweep::Plan& plan, const sweep::Estimate& estimate, bool as_json);

/// The estimate in one line: "6 runs left: about 12 min, at most 2.5 h, at most 16.0 GB at once".
[[nodiscard]] std::string describe(const sweep::Estimate& estimate);

/// Prints the result of a sweep as one JSON document: its folder, the file of its records, its
/// cost, and every cell with its figures. Only one cell is in memory at a time.
void print_sweep_json(const std::filesystem::path& folder, const std::filesystem::path& records,
                      const sweep::Plan& plan, const sweep::SweepResult& result);

}  // namespace runahead::apps
