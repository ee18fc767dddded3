#pragma once

#include <filesystem>

#include "core/sweep/plan.h"
#include "core/sweep/sweep.h"

namespace runahead::apps {

/// Prints the result of a sweep to stdout as one JSON document: its folder, its cost, and every
/// cell with its figures. Only one cell is in memory at a time.
void print_sweep_json(const std::filesystem::path& folder, const sweep::Plan& plan,
                      const sweep::SweepResult& result);

}  // namespace runahead::apps
