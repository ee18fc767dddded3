#pragma once

#include <filesystem>
#include <string>

namespace runahead::command {

/// The program that a command names: a path with a slash is itself, anything else is looked up.
/// @param search  As search_path() of core/base/executable.h.
/// @throws UnavailableError if there is no such program.
[[nodiscard]] std::filesystem::path find_program(const std::string& name,
                                                 const std::string& search);

}  // namespace runahead::command
