#pragma once

#include <zlib.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/array_files/file_contents.h"

/// Contents of gzip files and zip archives, made byte by byte around what zlib compresses.
namespace runahead::array_files::test {

/// @param window_bits  zlib's: -15 for deflate alone, 31 for gzip.
inline std::string compressed(std::string_view content, int window_bits) {
  z_stream state{};
  if (::deflateInit2(&state, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("zlib could not begin");
  }
  std::string result(::deflateBound(&state, content.size()), '\0');
  state.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(content.data()));
  state.avail_in = static_cast<uInt>(content.size());
  state.next_out = reinterpret_cast<Bytef*>(result.data());
  state.avail_out = static_cast<uInt>(result.size());
  const int status = ::deflate(&state, Z_FINISH);
  result.resize(state.total_out);
  ::deflateEnd(&state);
  if (status != Z_STREAM_END) throw std::runtime_error("zlib could not compress");
  return result;
}

inline std::string deflated(std::string_view content) { return compressed(content, -15); }
inline std::string gzipped(std::string_view content) { return compressed(content, 31); }

inline constexpr int kStored = 0;
inline constexpr int kDeflated = 8;

/// A file for a zip archive, and what the archive is to say of it that is not so.
struct ZippedFile {
  std::string name{};
  std::string content{};
  int method = kStored;
  int flags = 0;
  std::optional<std::uint64_t> claimed_bytes{};
  std::optional<std::uint64_t> claimed_checksum{};
};

/// A zip archive as numpy writes it, without zip64.
inline std::string zip(const std::vector<ZippedFile>& files) {
  std::string archive;
  std::string directory;
  for (const ZippedFile& file : files) {
    const std::string data = file.method == kDeflated ? deflated(file.content) : file.content;
    const std::uint64_t checksum = ::crc32(0, reinterpret_cast<const Bytef*>(file.content.data()),
                                           static_cast<uInt>(file.content.size()));
    const std::string common = little(20, 2) + little(static_cast<std::uint64_t>(file.flags), 2) +
                               little(static_cast<std::uint64_t>(file.method), 2) + little(0, 4) +
                               little(file.claimed_checksum.value_or(checksum), 4) +
                               little(data.size(), 4) +
                               little(file.claimed_bytes.value_or(file.content.size()), 4) +
                               little(file.name.size(), 2) + little(0, 2);
    directory += "PK\x01\x02" + little(20, 2) + common + std::string(10, '\0') +
                 little(archive.size(), 4) + file.name;
    archive += "PK\x03\x04" + common + file.name + data;
  }
  return archive + directory + "PK\x05\x06" + little(0, 4) + little(files.size(), 2) +
         little(files.size(), 2) + little(directory.size(), 4) + little(archive.size(), 4) +
         little(0, 2);
}

}  // namespace runahead::array_files::test
