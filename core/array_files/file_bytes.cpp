#include "core/array_files/file_bytes.h"

#include <algorithm>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <new>

#include "core/base/bytes.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace runahead::array_files {
namespace {

/// @throws ConfigError if the path is not one of a file with content.
void require_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  const auto refuse_path = [&path](const char* reason) {
    throw ConfigError("'" + path.string() + "' " + reason);
  };
  if (status.type() == std::filesystem::file_type::not_found) {
    throw ConfigError(path.string() + ": no such file; check the path");
  }
  if (error) throw ConfigError("cannot read " + path.string() + ": " + error.message());
  if (std::filesystem::is_directory(status)) refuse_path("is a folder; give a file");
  if (!std::filesystem::is_regular_file(status)) {
    refuse_path("is a pipe or a device, which cannot be mapped into memory; give a file");
  }
  if (std::filesystem::is_empty(path, error)) refuse_path("is empty; give a file with an array");
}

}  // namespace

FileBytes map_file(const std::filesystem::path& path) {
  namespace interprocess = boost::interprocess;
  require_file(path);
  try {
    const interprocess::file_mapping file(path.c_str(), interprocess::read_only);
    const auto region =
        std::make_shared<interprocess::mapped_region>(file, interprocess::read_only);
    return {.source = path.string(),
            .data = {region, static_cast<const std::byte*>(region->get_address())},
            .size = region->get_size()};
  } catch (const interprocess::interprocess_exception& error) {
    throw ConfigError("cannot read " + path.string() + ": " + error.what());
  }
}

std::shared_ptr<std::byte> make_buffer(std::uint64_t bytes, const std::string& source) {
  try {
    // Never 0 bytes, so that the address is valid memory.
    const auto buffer =
        std::make_shared_for_overwrite<std::byte[]>(std::max<std::uint64_t>(bytes, 1));
    return {buffer, buffer.get()};
  } catch (const std::bad_alloc&) {
    throw OutOfMemoryError(source + ": there is no memory for an array of " + format_bytes(bytes) +
                           "; an uncompressed .npy file in row-major order needs none");
  }
}

void refuse(const std::string& source, std::uint64_t offset, const std::string& found,
            const std::string& allowed) {
  throw ConfigError(source + ": byte " + std::to_string(offset) + ": found " + found +
                    "; allowed: " + allowed);
}

std::uint64_t little_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (std::size_t index = bytes.size(); index-- > 0;) {
    value = value << 8U | std::to_integer<std::uint64_t>(bytes[index]);
  }
  return value;
}

std::uint64_t big_endian(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (const std::byte byte : bytes) value = value << 8U | std::to_integer<std::uint64_t>(byte);
  return value;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string hexadecimal(std::span<const std::byte> bytes, std::size_t most) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  if (bytes.empty()) return "the end";
  std::string text;
  for (const std::byte byte : bytes.first(std::min(most, bytes.size()))) {
    if (!text.empty()) text += ' ';
    text += kDigits[std::to_integer<std::size_t>(byte >> 4U)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{0xF})];
  }
  return text;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMostCharacters = 60;
  return '"' + in_one_line(std::string(text), kMostCharacters) + '"';
}

}  // namespace runahead::array_files
