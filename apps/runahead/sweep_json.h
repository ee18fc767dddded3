#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>

#include "core/base/json.h"
#include "core/sweep/plan.h"
#include "core/sweep/sweep.h"

namespace runahead::apps {

/// Prints the result of a sweep to stdout as one JSON document: its folder, its cost, and every
/// cell with its figures. Only one cell is in memory at a time.
void print_sweep_json(const std::filesystem::path& folder, const sweep::Plan& plan,
                      const sweep::SweepResult& result);

/// Prints one JSON object: `members`, and under `key` a list of `count` elements, one per line.
/// Only one element is in memory at a time. @param element  Returns the element at an index.
void print_with_list(std::ostream& out, const Json& members, const std::string& key,
                     std::size_t count, const std::function<Json(std::size_t)>& element);

}  // namespace runahead::apps
