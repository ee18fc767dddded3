#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace runahead {

/// The whole content of a file.
/// @throws ConfigError if it is missing, is a folder, cannot be read, or is longer than
/// `max_bytes`.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::size_t max_bytes);

/// Writes `content` to `path`, which afterwards holds all of it or what it held before: a temporary
/// file beside it, fsync, rename. Makes missing parent folders. @throws Error if it cannot.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// The same without fsync, in a folder that is there: for what is of no use after a crash. The
/// temporary file is `replacement_of(path)`. Not for several writers at once.
void replace_file(const std::filesystem::path& path, std::string_view content);
[[nodiscard]] std::filesystem::path replacement_of(const std::filesystem::path& path);

/// Writes `content` to `path` and leaves it to the system when that reaches the disk: for what is
/// of no use after a crash, which may leave any part of it. @throws Error if it cannot.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Appends `line` and a newline in one write, then fsyncs. If the file does not end with a newline
/// (a write was cut short), one is put before. Makes missing parent folders. Not for several
/// writers at once. @throws Error if it cannot.
void append_line(const std::filesystem::path& path, std::string_view line);

}  // namespace runahead
