#include "core/array_files/npy.h"

#include <cctype>
#include <limits>

#include "core/base/json_reader.h"

namespace runahead::array_files {
namespace {

constexpr std::size_t kNpyVersionAt = 6;
constexpr std::size_t kNpyLengthAt = 8;

constexpr const char* kNpyTypes =
    "b1, u1, i1, i2, i4, i8, f2, f4, f8, in quotes, alone or behind '<', '>', '=' or, of one byte, "
    "'|'; never a type of several fields, nor objects, which would be pickled Python";

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

/// The Python literal as JSON of the same length: tuples become arrays, quotes double, bools small;
/// the L behind an integer of Python 2 becomes a space, and so does a comma behind the last item.
std::string json_of(std::string_view python) {
  constexpr std::string_view kPython = "'()TFL";
  constexpr std::string_view kJson = "\"[]tf ";
  std::string json(python);
  bool is_quoted = false;
  char* last = json.data();  // The last character that is no white space.
  for (char& character : json) {
    const bool is_quote = character == '\'' || character == '"';
    if (is_quote) is_quoted = !is_quoted;
    if (is_quoted && !is_quote) continue;
    const std::size_t place = kPython.find(character);
    if (place != std::string_view::npos) character = kJson[place];
    if ((character == ']' || character == '}') && *last == ',') *last = ' ';
    if (std::isspace(static_cast<unsigned char>(character)) == 0) last = &character;
  }
  return json;
}

/// The type of a descr: its byte order, if it is given, then what numpy calls the type.
std::optional<ElementType> npy_type(const std::string& descr) {
  const std::size_t order_bytes = descr.find_first_of("<>|=") == 0 ? 1 : 0;
  const auto type =
      type_called(std::string_view(descr).substr(order_bytes), &ElementTypeNames::npy);
  const bool needs_order = type && size_of(*type) > 1 && descr[0] == '|';
  return needs_order ? std::nullopt : type;
}

Layout read_dictionary(std::string_view text, const std::string& source) {
  constexpr std::size_t kMostDepth = 8;
  const Json dictionary =
      parse_json(json_of(text), source + ", as JSON", {.bytes = text.size(), .depth = kMostDepth});
  JsonProblems problems(source);
  ObjectReader reader(dictionary, "", problems);
  reader.require({"descr", "fortran_order", "shape"});
  const auto descr =
      reader.read("descr", TextForm{.allowed = kNpyTypes, .accepts = [](const std::string& found) {
                                      return npy_type(found).has_value();
                                    }});
  const auto is_column_major = reader.read("fortran_order", Boolean{});
  const auto shape = reader.integers("shape", {.min = 0, .max = kMostDimensions},
                                     {.min = 0, .max = std::numeric_limits<std::int64_t>::max()});
  reader.report_unknown_keys();
  problems.throw_if_any();
  return {.type = *npy_type(*descr),
          .shape = *shape,
          .is_big_endian = descr->front() == '>',
          .is_column_major = *is_column_major};
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
  if (length > kMostHeaderBytes - begin) {
    refuse(source, kNpyLengthAt, "a header of " + std::to_string(length) + " bytes",
           "at most " + std::to_string(kMostHeaderBytes - begin));
  }
  if (length > head.size() - begin) {
    refuse(source, head.size(), "the end", "a header up to byte " + std::to_string(begin + length));
  }
  Layout layout = read_dictionary(text_of(head.subspan(begin, length)),
                                  source + ": header at byte " + std::to_string(begin));
  layout.offset = begin + length;
  layout.bytes = checked_bytes(layout.type, layout.shape, source, begin);
  return layout;
}

}  // namespace runahead::array_files
