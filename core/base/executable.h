#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace runahead {

/// Whether `path` is a file that this process may execute.
[[nodiscard]] bool is_executable(const std::filesystem::path& path);

/// The folders of this process's PATH, with colons between them; those of the system if it has
/// none.
[[nodiscard]] std::string search_path();

/// The first executable of that name in `folders`, which has colons between them; an empty one is
/// the current folder.
[[nodiscard]] std::optional<std::filesystem::path> find_executable(const std::string& name,
                                                                   const std::string& folders);

}  // namespace runahead
