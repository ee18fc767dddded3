#pragma once

#include <string>
#include <vector>

namespace runahead::array_files {

/// Of the arrays of a file the one that `name` means: its index in `names`, which are at least one.
/// "" means the only one.
/// @throws ConfigError that lists the names, the nearest first, if there is none, or several.
[[nodiscard]] std::size_t chosen_array(const std::vector<std::string>& names,
                                       const std::string& name, const std::string& source);

}  // namespace runahead::array_files
