#include "core/base/json_syntax.h"

#include <algorithm>
#include <cctype>

#include "core/base/text.h"

namespace runahead {
namespace {

constexpr std::size_t kShownBefore = 60;
constexpr std::size_t kShownBehind = 20;
constexpr std::size_t kLongestWord = 20;
constexpr std::string_view kSpaces = " \t\r\n";
constexpr unsigned char kPrintable = 0x20;

bool is_space(char character) { return kSpaces.find(character) != std::string_view::npos; }

bool is_word(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_' ||
         character == '+' || character == '-' || character == '.';
}

/// The last non-space character before `offset`; 0 if there is none.
char character_before(std::string_view text, std::size_t offset) {
  while (offset > 0 && is_space(text[offset - 1])) --offset;
  return offset == 0 ? '\0' : text[offset - 1];
}

/// The name or number that begins at `offset`.
std::string_view word_at(std::string_view text, std::size_t offset) {
  std::size_t end = offset;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(offset, end - offset);
}

/// What is open at a position in a text.
struct Nesting {
  std::string brackets{};  ///< Of the objects and arrays, outermost first.
  std::size_t string_begin = 0;
  bool is_in_string = false;
};

Nesting nesting_at(std::string_view text, std::size_t offset) {
  Nesting nesting;
  for (std::size_t i = 0; i < offset; ++i) {
    const char character = text[i];
    if (character == '\\' && nesting.is_in_string) {
      ++i;
    } else if (character == '"') {
      nesting.is_in_string = !nesting.is_in_string;
      if (nesting.is_in_string) nesting.string_begin = i;
    } else if (nesting.is_in_string) {
      continue;
    } else if (character == '{' || character == '[') {
      nesting.brackets += character;
    } else if ((character == '}' || character == ']') && !nesting.brackets.empty()) {
      nesting.brackets.pop_back();
    }
  }
  return nesting;
}

/// Where the invalid token begins: the parser stops within it, or at its end.
std::size_t begin_of_token(std::string_view text, std::size_t offset) {
  if (offset >= text.size()) {
    offset = text.size();
    while (offset > 0 && is_space(text[offset - 1])) --offset;
    return offset;
  }
  const Nesting nesting = nesting_at(text, offset);
  if (nesting.is_in_string) return text[offset] == '"' ? nesting.string_begin : offset;
  while (is_word(text[offset]) && offset > 0 && is_word(text[offset - 1])) --offset;
  return offset;
}

/// Whether the character of several bytes before `offset` lacks some.
bool follows_cut_character(std::string_view text, std::size_t offset) {
  std::size_t bytes = 0;
  while (bytes < std::min<std::size_t>(offset, 4)) {
    const auto byte = static_cast<unsigned char>(text[offset - ++bytes]);
    if (byte >= 0xC0) return bytes < (byte >= 0xF0 ? 4U : byte >= 0xE0 ? 3U : 2U);
    if (byte < 0x80) return false;
  }
  return false;
}

std::string reason_within_string(std::string_view text, std::size_t offset) {
  const auto character = static_cast<unsigned char>(text[offset]);
  if (character == '\n' || character == '\r') {
    return "a string does not end on its line; close it with '\"'";
  }
  if (character < kPrintable) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    return std::string("a control character in a string; write \\u00") + kDigits[character / 16] +
           kDigits[character % 16];
  }
  if (character >= 0x80 || follows_cut_character(text, offset)) {
    return "a byte that is not UTF-8; save the text as UTF-8";
  }
  return "no such escape; allowed after a backslash: \" \\ / b f n r t u";
}

std::string reason_at_end(std::string_view text) {
  if (std::ranges::all_of(text, is_space)) return "there is no text";
  if (nesting_at(text, text.size()).is_in_string) return "the text ends within a string; close it";
  return "the text ends early; a '}' or ']', or a value before it, is missing";
}

/// The reason if a key is expected.
std::string reason_at_key(char found, const std::string& word) {
  if (!word.empty()) return "the key " + word + " has no double quotes";
  return std::string("found '") + found + "'; allowed: a key in double quotes";
}

std::string reason_of(std::string_view text, std::size_t offset) {
  if (text.find_first_not_of(kSpaces, offset) == std::string_view::npos) return reason_at_end(text);
  const Nesting nesting = nesting_at(text, offset);
  if (nesting.is_in_string) return reason_within_string(text, offset);
  const char found = text[offset];
  const char before = character_before(text, offset);
  if (before == ',' && (found == '}' || found == ']')) {
    return std::string("a comma before '") + found + "'; remove it";
  }
  if (found == '\'') return "a single quote; keys and strings take double quotes";
  if (found == '/' || found == '#') return "a comment, which JSON does not have; remove it";
  if (nesting.brackets.empty() && before != '\0')
    return "there is text after the end of the document";
  const std::string word = shortened(word_at(text, offset), kLongestWord);
  const bool is_in_object = nesting.brackets.ends_with('{');
  if (is_in_object && (before == '{' || before == ',')) return reason_at_key(found, word);
  const bool is_behind_value = before == '"' || before == '}' || before == ']' || is_word(before);
  const bool is_value = found == '"' || found == '{' || found == '[' || !word.empty();
  if (is_behind_value && is_value) {
    return is_in_object ? "a comma or a colon is missing before it"
                        : "a comma is missing before it";
  }
  if (word.empty()) return std::string("found '") + found + "', which does not belong here";
  return "found " + word +
         "; allowed: a number, a string in double quotes, true, false, null, an object, an array";
}

/// The line and a caret; a long line is cut around it.
std::string marked_line(std::string_view text, std::size_t begin, std::size_t offset) {
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  const std::size_t first = offset - begin > kShownBefore ? offset - kShownBefore : begin;
  const std::size_t last = std::min(end, offset + kShownBehind);
  std::string line(text.substr(first, last - first));
  std::ranges::replace_if(
      line, [](char character) { return static_cast<unsigned char>(character) < kPrintable; }, ' ');
  const auto columns =
      std::count_if(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(offset - first),
                    [](char byte) { return (byte & 0xC0) != 0x80; });
  return "\n  " + line + "\n  " + std::string(static_cast<std::size_t>(columns), ' ') + "^";
}

}  // namespace

std::string describe_syntax_error(std::string_view text, std::size_t offset,
                                  const std::string& source, const std::string& reason) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0.
  return source + ", line " + std::to_string(line) + ", column " +
         std::to_string(offset - begin + 1) + ": not valid JSON: " + reason +
         (text.empty() ? "" : marked_line(text, begin, offset));
}

std::string describe_syntax_error(std::string_view text, std::size_t offset,
                                  const std::string& source) {
  const std::size_t begin = begin_of_token(text, offset);
  return describe_syntax_error(text, begin, source, reason_of(text, begin));
}

}  // namespace runahead
