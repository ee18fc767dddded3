#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace runahead::array_files {

/// The bytes of a file or part of it, with ownership of their memory.
struct FileBytes {
  std::string source{};  ///< Its name in errors.
  std::shared_ptr<const std::byte> data{};
  std::uint64_t size = 0;

  [[nodiscard]] std::span<const std::byte> span() const { return {data.get(), size}; }
};

/// Maps a file into memory, read-only, until the last copy of the result's `data` is gone.
///
/// The file must not be written to meanwhile. What another program overwrites in place may appear
/// here. If the file is truncated, reading the missing part ends the process with SIGBUS. Replacing
/// the file by a rename, or removing it, is safe: the mapping keeps the old one.
///
/// @throws ConfigError if there is no such file, it is empty, cannot be read, or is not a file that
///         can be mapped (a folder, a pipe, a device).
[[nodiscard]] FileBytes map_file(const std::filesystem::path& path);

/// Allocates `bytes` bytes, aligned for every element type.
/// @throws OutOfMemoryError that names `source` if there is no memory.
[[nodiscard]] std::shared_ptr<std::byte> make_buffer(std::uint64_t bytes,
                                                     const std::string& source);

/// @throws ConfigError "SOURCE: byte OFFSET: found FOUND; allowed: ALLOWED". Offsets begin at 0.
[[noreturn]] void refuse(const std::string& source, std::uint64_t offset, const std::string& found,
                         const std::string& allowed);

/// Decodes an unsigned number of up to 8 bytes, least or most significant byte first.
[[nodiscard]] std::uint64_t little_endian(std::span<const std::byte> bytes);
[[nodiscard]] std::uint64_t big_endian(std::span<const std::byte> bytes);

[[nodiscard]] std::string_view text_of(std::span<const std::byte> bytes);

/// "93 4E 55": the first bytes, at most `most`; "the end" if there are none.
[[nodiscard]] std::string hexadecimal(std::span<const std::byte> bytes, std::size_t most);

/// Text from a file in quotes, on one line of at most 60 characters.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace runahead::array_files
