#include "core/base/text.h"

#include <algorithm>
#include <cctype>

namespace runahead {
namespace {

/// The later bytes of a character are 10xxxxxx.
bool begins_a_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

bool is_control(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return code < 0x20U || code == 0x7FU;
}

bool is_same(char left, char right) {
  return std::tolower(static_cast<unsigned char>(left)) ==
         std::tolower(static_cast<unsigned char>(right));
}

/// Whether a line belongs to the error above it. C++ reports an exception that ends the process in
/// a line that begins with blanks, too.
bool is_excerpt(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin != 0 && !line.substr(begin).starts_with("what():");
}

}  // namespace

std::size_t character_count(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_a_character));
}

std::string in_one_line(const std::string& text, std::size_t most) {
  std::string line = text;
  std::ranges::replace_if(line, is_control, '?');
  if (character_count(line) <= most) return line;
  if (most == 0) return "";
  auto end = line.begin();
  for (std::size_t kept = 0; end != line.end(); ++end) {
    if (begins_a_character(*end) && kept++ == most - 1) break;
  }
  line.erase(end, line.end());
  return line + "…";
}

std::string shortened(std::string_view text, std::size_t longest_bytes) {
  if (text.size() <= longest_bytes) return std::string(text);
  std::size_t end = longest_bytes;
  while (end > 0 && !begins_a_character(text[end])) --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string_view end_of(std::string_view text, std::size_t longest_bytes) {
  std::size_t begin = text.size() - std::min(text.size(), longest_bytes);
  while (begin > 0 && begin < text.size() && !begins_a_character(text[begin])) ++begin;
  return text.substr(begin);
}

std::string_view last_line(std::string_view text) {
  std::string_view last;
  for (;;) {
    text = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
    const std::string_view line = text.substr(text.find_last_of('\n') + 1);
    if (line.empty()) return last;
    if (!is_excerpt(line)) return line;
    if (last.empty()) last = line;
    text.remove_suffix(line.size());
  }
}

std::string with_replacements(
    std::string_view text, std::initializer_list<std::pair<char, std::string_view>> replacements) {
  std::string result;
  for (const char character : text) {
    const auto found = std::ranges::find(replacements, character,
                                         [](const auto& replacement) { return replacement.first; });
    result += found == replacements.end() ? std::string_view(&character, 1) : found->second;
  }
  return result;
}

std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  quoted += with_replacements(text, {{'\'', "'\\''"}});
  quoted += '\'';
  return quoted;
}

std::size_t edit_distance(std::string_view left, std::string_view right) {
  constexpr std::size_t kLongest = 256;
  left = left.substr(0, kLongest);
  right = right.substr(0, kLongest);
  const std::size_t width = right.size() + 1;
  std::vector<std::size_t> table((left.size() + 1) * width, 0);
  const auto at = [&](std::size_t row, std::size_t column) -> std::size_t& {
    return table[row * width + column];
  };
  for (std::size_t row = 0; row <= left.size(); ++row) {
    for (std::size_t column = 0; column < width; ++column) {
      if (row == 0 || column == 0) {
        at(row, column) = row + column;
        continue;
      }
      const bool same = is_same(left[row - 1], right[column - 1]);
      at(row, column) = std::min({at(row - 1, column) + 1, at(row, column - 1) + 1,
                                  at(row - 1, column - 1) + (same ? 0 : 1)});
      if (row > 1 && column > 1 && is_same(left[row - 1], right[column - 2]) &&
          is_same(left[row - 2], right[column - 1])) {
        at(row, column) = std::min(at(row, column), at(row - 2, column - 2) + 1);
      }
    }
  }
  return at(left.size(), right.size());
}

const std::string* nearest_name(std::string_view wanted, const std::vector<std::string>& names) {
  constexpr std::size_t kCharactersAMistake = 4;
  const std::string* nearest = nullptr;
  std::size_t limit = 2 + wanted.size() / kCharactersAMistake;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(wanted, name);
    if (distance >= limit) continue;
    limit = distance;
    nearest = &name;
  }
  return nearest;
}

}  // namespace runahead
