#pragma once

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>

#include "core/base/json.h"

namespace runahead::apps {

/// Prints one JSON object: `members`, and under `key` a list of `count` elements, one per line.
/// Only one element is in memory at a time. @param element  Returns the element at an index.
void print_with_list(std::ostream& out, const Json& members, const std::string& key,
                     std::size_t count, const std::function<Json(std::size_t)>& element);

}  // namespace runahead::apps
