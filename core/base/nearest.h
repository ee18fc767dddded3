#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace runahead {

/// The number of insertions, deletions, replacements and swaps of neighbours that turn `left` into
/// `right`, ignoring case. Considers at most 256 characters of each.
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

/// The name that `wanted` probably stands for: the nearest one, the first on a tie. Null if none is
/// within one mistake per four characters, plus one.
[[nodiscard]] const std::string* nearest_name(std::string_view wanted,
                                              const std::vector<std::string>& names);

}  // namespace runahead
