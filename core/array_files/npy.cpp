#include "core/array_files/npy.h"

#include "core/array_files/npy_dictionary.h"

namespace runahead::array_files {
namespace {

constexpr std::size_t kNpyVersionAt = 6;
constexpr std::size_t kNpyLengthAt = 8;

/// Bytes of the number that gives the dictionary's length.
std::size_t npy_length_bytes(std::span<const std::byte> head, const std::string& source) {
  const auto version = head.subspan(kNpyVersionAt, kNpyLengthAt - kNpyVersionAt);
  const auto major = std::to_integer<int>(version[0]);
  const auto minor = std::to_integer<int>(version[1]);
  if (major < 1 || major > 3 || minor != 0) {
    refuse(source, kNpyVersionAt,
           "format " + std::to_string(major) + "." + std::to_string(minor) + " of .npy",
           "1.0, 2.0, 3.0");
  }
  return major == 1 ? 2 : 4;
}

}  // namespace

Layout read_npy_header(std::span<const std::byte> head, const std::string& source) {
  if (!text_of(head).starts_with(kNpyMagic)) {
    refuse(source, 0, hexadecimal(head, kNpyMagic.size()), "93 4E 55 4D 50 59, as .npy begins");
  }
  constexpr std::size_t kLongestPrefix = 12;
  if (head.size() < kLongestPrefix) {
    refuse(source, head.size(), "the end", "a version and the length of a header");
  }
  const std::size_t length_bytes = npy_length_bytes(head, source);
  const std::size_t begin = kNpyLengthAt + length_bytes;
  const std::uint64_t length = little_endian(head.subspan(kNpyLengthAt, length_bytes));
  if (length > kMostNpyHeaderBytes - begin) {
    refuse(source, kNpyLengthAt, "a header of " + std::to_string(length) + " bytes",
           "at most " + std::to_string(kMostNpyHeaderBytes - begin));
  }
  if (length > head.size() - begin) {
    refuse(source, head.size(), "the end", "a header up to byte " + std::to_string(begin + length));
  }
  const NpyDictionary dictionary =
      read_npy_dictionary(text_of(head.subspan(begin, length)), source, begin);
  return {.type = dictionary.type,
          .shape = dictionary.shape,
          .is_big_endian = dictionary.is_big_endian,
          .is_column_major = dictionary.is_column_major,
          .offset = begin + length,
          .bytes = checked_bytes(dictionary.type, dictionary.shape, source, dictionary.shape_at)};
}

}  // namespace runahead::array_files
