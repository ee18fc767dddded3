#pragma once

#include <filesystem>

#include "core/array_files/file_bytes.h"

namespace runahead::array_files {

/// Maps a file into memory, read-only, until the last copy of the result's `data` is gone.
///
/// The file must not be written to meanwhile. What another program overwrites in place may appear
/// here. If the file is truncated, reading the missing part ends the process with SIGBUS. Replacing
/// the file by a rename, or removing it, is safe: the mapping keeps the old one.
///
/// @throws ConfigError if there is no such file, it is empty, cannot be read, or is not a file that
///         can be mapped (a folder, a pipe, a device).
[[nodiscard]] FileBytes map_file(const std::filesystem::path& path);

}  // namespace runahead::array_files
