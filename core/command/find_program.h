#pragma once

#include <filesystem>
#include <string>
#include <system_error>

namespace runahead::command {

/// Finds the program that a command names: a name with a slash is a path, any other is looked up.
/// @param search  As search_path() in core/base/executable.h.
/// @throws UnavailableError if there is no such program.
[[nodiscard]] std::filesystem::path find_program(const std::string& name,
                                                 const std::string& search);

/// "'./a' could not be started: …".
/// @param name     As the user gave it.
/// @param program  As found.
/// @param problem  The error of its exec.
[[nodiscard]] std::string start_failure(const std::string& name,
                                        const std::filesystem::path& program,
                                        const std::error_code& problem);

}  // namespace runahead::command
