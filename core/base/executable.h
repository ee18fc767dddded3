#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace runahead {

/// Whether `path` is a file that this process may execute.
[[nodiscard]] bool is_executable(const std::filesystem::path& path);

/// The folders of this process's PATH, separated by colons; the system's default if it has no PATH.
[[nodiscard]] std::string search_path();

/// The first executable named `name` in `folders`, which are separated by colons; an empty one is
/// the current folder.
[[nodiscard]] std::optional<std::filesystem::path> find_executable(const std::string& name,
                                                                   const std::string& folders);

}  // namespace runahead
