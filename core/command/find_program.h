#pragma once

#include <filesystem>
#include <string>

namespace runahead::command {

/// The program that a command names: a path with a slash is itself, anything else is looked up.
/// @param search  Folders with colons between them, as PATH has them.
/// @throws UnavailableError if there is no such program.
[[nodiscard]] std::filesystem::path find_program(const std::string& name,
                                                 const std::string& search);

/// The PATH of this process.
[[nodiscard]] std::string own_search_path();

}  // namespace runahead::command
