#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace runahead {

/// Insertions, deletions, replacements and swaps of neighbours that turn `left` into `right`; case
/// does not count. At most 256 characters of each are looked at.
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

/// The name nearest to `wanted`, the first of them on a tie. @throws UsageError without names.
[[nodiscard]] const std::string& nearest_name(std::string_view wanted,
                                              const std::vector<std::string>& names);

}  // namespace runahead
