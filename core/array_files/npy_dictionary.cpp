#include "core/array_files/npy_dictionary.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>

#include "core/array_files/file_bytes.h"

namespace runahead::array_files {
namespace {

constexpr std::string_view kNpyTypes =
    "b1, u1, i1, i2, i4, i8, f2, f4, f8, in quotes and behind '<', '>' or, of one byte, '|'";

std::optional<ElementType> npy_element_type(std::string_view code) {
  struct Row {
    std::string_view code{};
    ElementType type = ElementType::kFloat32;
  };
  constexpr std::array<Row, 9> kRows{{{"b1", ElementType::kBool},
                                      {"u1", ElementType::kUint8},
                                      {"i1", ElementType::kInt8},
                                      {"i2", ElementType::kInt16},
                                      {"i4", ElementType::kInt32},
                                      {"i8", ElementType::kInt64},
                                      {"f2", ElementType::kFloat16},
                                      {"f4", ElementType::kFloat32},
                                      {"f8", ElementType::kFloat64}}};
  for (const Row& row : kRows) {
    if (row.code == code) return row.type;
  }
  return std::nullopt;
}

bool is_digit(char character) { return character >= '0' && character <= '9'; }

class NpyDictionaryReader {
 public:
  NpyDictionaryReader(std::string_view text, const std::string& source, std::uint64_t offset)
      : text_(text), source_(source), offset_(offset) {}

  NpyDictionary read() {
    expect('{', "'{'");
    while (!take('}')) {
      read_item();
      if (take(',')) continue;
      expect('}', "',' or '}'");
      break;
    }
    require_all_keys();
    read_end();
    return found_;
  }

 private:
  enum Key : unsigned { kDescr = 1, kFortranOrder = 2, kShape = 4, kAllKeys = 7 };

  void read_item() {
    skip_spaces();
    const std::size_t key_at = at_;
    const std::string_view key = read_string("a key between quotes");
    expect(':', "':'");
    skip_spaces();
    if (key == "descr") {
      note(kDescr, key_at, key);
      read_type();
    } else if (key == "fortran_order") {
      note(kFortranOrder, key_at, key);
      found_.is_column_major = read_bool();
    } else if (key == "shape") {
      note(kShape, key_at, key);
      read_shape();
    } else {
      fail(key_at, "the key " + in_quotes(key), "descr, fortran_order, shape");
    }
  }

  void note(Key key, std::size_t at, std::string_view name) {
    if ((seen_ & key) != 0) fail(at, in_quotes(name) + " for the second time", "each key once");
    seen_ |= key;
  }

  void require_all_keys() const {
    if (seen_ == kAllKeys) return;
    const std::string missing = (seen_ & kDescr) == 0          ? "descr"
                                : (seen_ & kFortranOrder) == 0 ? "fortran_order"
                                                               : "shape";
    fail(at_, "no key \"" + missing + "\"", "descr, fortran_order and shape, all of them");
  }

  /// "<f4": the byte order and the type.
  void read_type() {
    const std::size_t at = at_;
    if (peek() == '[') fail(at, "a type of several fields", std::string(kNpyTypes));
    const std::string_view descr = read_string(std::string(kNpyTypes));
    if (descr.find('O') != std::string_view::npos) {
      fail(at,
           "the type " + in_quotes(descr) +
               ": the array holds pickled Python objects, which are "
               "never read",
           std::string(kNpyTypes));
    }
    const char order = descr.empty() ? '\0' : descr.front();
    const auto type = npy_element_type(descr.empty() ? descr : descr.substr(1));
    const bool has_order =
        order == '<' || order == '>' || (order == '|' && type && size_of(*type) == 1);
    if (!type || !has_order) fail(at, "the type " + in_quotes(descr), std::string(kNpyTypes));
    found_.type = *type;
    found_.is_big_endian =
        order == '>' || (order == '|' && std::endian::native == std::endian::big);
  }

  bool read_bool() {
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!rest().starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    fail(at_, found_here(), "True, False");
  }

  /// "()", "(3,)", "(60000, 28)".
  void read_shape() {
    found_.shape_at = offset_ + at_;
    expect('(', "a tuple of sizes: '('");
    bool has_comma = true;
    while (!take(')')) {
      if (!has_comma) fail(at_, found_here(), "',' or ')'");
      found_.shape.push_back(read_size());
      has_comma = take(',');
    }
    if (found_.shape.size() == 1 && !has_comma) {
      fail(at_ - 1, "a number between parentheses", "a tuple; of one size: (3,)");
    }
  }

  std::int64_t read_size() {
    skip_spaces();
    const std::string_view digits = rest();
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    if (error != std::errc{} || !is_digit(digits.front())) {
      fail(at_, found_here(), "a size from 0 to 9223372036854775807");
    }
    at_ += static_cast<std::size_t>(end - digits.data());
    if (peek() == 'L') ++at_;  // Python 2 wrote 3L.
    return size;
  }

  /// A string in single or double quotes, without escapes.
  std::string_view read_string(const std::string& allowed) {
    const char quote = peek();
    const std::size_t end =
        quote == '\'' || quote == '"' ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) fail(at_, found_here(), allowed);
    const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
    if (const std::size_t escape = content.find('\\'); escape != std::string_view::npos) {
      fail(at_ + 1 + escape, "a backslash", "text without escapes");
    }
    at_ = end + 1;
    return content;
  }

  void read_end() {
    skip_spaces();
    if (!rest().empty()) fail(at_, found_here(), "spaces and a newline, then the elements");
    if (!text_.ends_with('\n')) {
      fail(text_.size(), "the end of the header", "a newline at its end");
    }
  }

  void skip_spaces() { at_ = std::min(text_.find_first_not_of(" \t\n", at_), text_.size()); }

  bool take(char wanted) {
    skip_spaces();
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted, const std::string& allowed) {
    if (!take(wanted)) fail(at_, found_here(), allowed);
  }

  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  [[nodiscard]] std::string found_here() const {
    constexpr std::size_t kMostShown = 20;
    return rest().empty() ? "the end of the header" : in_quotes(rest().substr(0, kMostShown));
  }

  [[noreturn]] void fail(std::size_t at, const std::string& found,
                         const std::string& allowed) const {
    refuse(source_, offset_ + at, found, allowed);
  }

  std::string_view text_;
  const std::string& source_;
  std::uint64_t offset_ = 0;
  std::size_t at_ = 0;
  unsigned seen_ = 0;  ///< Bit mask of Key.
  NpyDictionary found_{};
};

}  // namespace

NpyDictionary read_npy_dictionary(std::string_view text, const std::string& source,
                                  std::uint64_t offset) {
  return NpyDictionaryReader(text, source, offset).read();
}

}  // namespace runahead::array_files
