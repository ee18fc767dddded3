#pragma once

#include <filesystem>
#include <string>

namespace runahead::command {

/// Finds the program that a command names: a name with a slash is a path, any other is looked up.
/// @param search  As search_path() in core/base/executable.h.
/// @throws UnavailableError if there is no such program.
[[nodiscard]] std::filesystem::path find_program(const std::string& name,
                                                 const std::string& search);

}  // namespace runahead::command
