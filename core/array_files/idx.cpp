#include "core/array_files/idx.h"

#include <zlib.h>

#include "core/array_files/inflated_array.h"
#include "core/base/error.h"
#include "core/base/number_text.h"

namespace runahead::array_files {
namespace {

/// Fills `out` from its beginning, as far as the file goes.
std::size_t read_inflated(gzFile file, std::span<std::byte> out, const std::string& source) {
  const std::size_t count = ::gzfread(out.data(), 1, out.size(), file);
  int problem = Z_OK;
  const std::string reason = ::gzerror(file, &problem);  // "PATH: unexpected end of file".
  if (problem == Z_OK) return count;
  if (problem == Z_MEM_ERROR) throw OutOfMemoryError(source + ": there is no memory to inflate it");
  throw ConfigError(source + ": found compressed data that cannot be inflated: " +
                    reason.substr(reason.rfind(": ") + 2) +
                    "; allowed: data that is whole; get the file again");
}

}  // namespace

Layout read_idx_header(std::span<const std::byte> head, const std::string& source) {
  constexpr std::size_t kPrefixBytes = 4;
  constexpr std::size_t kSizeBytes = 4;
  if (head.size() < kPrefixBytes || head[0] != std::byte{0} || head[1] != std::byte{0}) {
    refuse(source, 0, hexadecimal(head, kPrefixBytes),
           "IDX, which begins with 00 00, a type and a number of dimensions");
  }
  const auto type = type_called(std::to_integer<int>(head[2]), &ElementTypeNames::idx);
  if (!type) {
    refuse(source, 2, "the type " + hexadecimal(head.subspan(2), 1),
           "08 (uint8), 09 (int8), 0B (int16), 0C (int32), 0D (float32), 0E (float64)");
  }
  const auto dimensions = std::to_integer<std::size_t>(head[3]);
  if (dimensions < 1 || dimensions > kMostDimensions) {
    refuse(source, 3, counted(dimensions, "dimension"), "1 to " + std::to_string(kMostDimensions));
  }
  const std::size_t header_bytes = kPrefixBytes + kSizeBytes * dimensions;
  if (head.size() < header_bytes) {
    refuse(source, head.size(), "the end",
           "sizes of " + counted(dimensions, "dimension") + " up to byte " +
               std::to_string(header_bytes - 1));
  }
  Layout layout{.type = *type, .is_big_endian = true, .offset = header_bytes};
  for (std::size_t at = kPrefixBytes; at < header_bytes; at += kSizeBytes) {
    layout.shape.push_back(static_cast<std::int64_t>(big_endian(head.subspan(at, kSizeBytes))));
  }
  layout.bytes = checked_bytes(layout.type, layout.shape, source, kPrefixBytes);
  return layout;
}

Array read_idx_in_gzip(const std::filesystem::path& path, const FileBytes& file) {
  constexpr const char* kReadUntilExecuted = "rbe";
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(
      ::gzopen(path.c_str(), kReadUntilExecuted), ::gzclose);
  if (stream == nullptr) throw ConfigError("cannot read " + file.source);
  return inflate_array(
      {.compressed_bytes = file.size,
       .inflate =
           [&](std::span<std::byte> out) { return read_inflated(stream.get(), out, file.source); }},
      read_idx_header, file.source + ": inflated");
}

}  // namespace runahead::array_files
