#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace runahead {

/// Checks that the working folder exists: where it was deleted, libraries do not load, for example.
/// @throws ConfigError
void require_working_folder();

/// The whole content of a file, or of stdin for "-".
/// @throws ConfigError if it is missing, is a folder, cannot be read, or is longer than
/// `max_bytes`.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::size_t max_bytes);

/// Creates a folder and its parents unless it exists. @return whether it is new.
/// @throws ConfigError if it, or a parent, is a file; Error if it cannot be created.
bool make_folder(const std::filesystem::path& path);

/// Replaces the content of `path` as a whole or not at all: a temporary file in its folder, fsync,
/// rename. Creates missing parent folders. @throws Error if it cannot.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// The same for a file that must not exist yet; it is never replaced. @throws Error if it exists.
void write_new_file(const std::filesystem::path& path, std::string_view content);

/// Checks that write_file_atomically() could write there, by what it begins with: missing parent
/// folders are created, and a temporary file, which is removed again. @throws Error if it cannot.
void check_writable(const std::filesystem::path& path);

/// write_file_atomically() without fsync, in an existing folder, for content that is useless after
/// a crash. The temporary file is `replacement_of(path)`. One writer at a time.
void replace_file(const std::filesystem::path& path, std::string_view content);
[[nodiscard]] std::filesystem::path replacement_of(const std::filesystem::path& path);

/// Writes `content` to `path` without fsync, for content that is useless after a crash. A crash may
/// leave any part of it. @throws Error if it cannot.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Writes all of `content` to an open file. @return false, with errno, if it cannot.
[[nodiscard]] bool write_all(int file, std::string_view content) noexcept;

/// Appends `line` and a newline in one write, then fsyncs. If the file does not end with a newline
/// (a write was cut short), it appends one first. Creates missing parent folders. One writer at a
/// time. @throws Error if it cannot.
void append_line(const std::filesystem::path& path, std::string_view line);

/// Takes an exclusive lock on an open file, against everyone else who opened it, without waiting.
/// The lock belongs to the open file description: unlike a per-process lock, it is not lost when
/// the process closes another descriptor of the file. On NFS the server holds it, unless the mount
/// uses local locks. The kernel drops it when the last process that has the open file ends.
/// @param file  A descriptor, open for writing.
/// @return 0, or an errno: EAGAIN or EACCES if the file is locked, others if it cannot be locked.
[[nodiscard]] int try_lock_file(int file) noexcept;

/// Whether another open file holds that lock; false if that cannot be determined.
[[nodiscard]] bool is_file_locked(int file) noexcept;

/// Drops that lock, even if a child between fork and exec still has the file.
void unlock_file(int file) noexcept;

}  // namespace runahead
