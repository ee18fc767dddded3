#pragma once

#include <string>
#include <vector>

namespace runahead::array_files {

/// The index in `names`, which must not be empty, of the array that `name` refers to. "" refers to
/// the only one.
/// @throws ConfigError that lists the names, nearest first, if there is no match; also if there are
/// several.
[[nodiscard]] std::size_t chosen_array(const std::vector<std::string>& names,
                                       const std::string& name, const std::string& source);

}  // namespace runahead::array_files
