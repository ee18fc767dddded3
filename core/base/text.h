#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace runahead {

/// The texts of `items` in order, with `separator` between them.
/// @param text_of  Returns the text of an item.
template <typename Items, typename TextOf = std::identity>
[[nodiscard]] std::string joined(const Items& items, std::string_view separator,
                                 TextOf text_of = {}) {
  std::string text;
  bool is_first = true;
  for (const auto& item : items) {
    if (!is_first) text += separator;
    text += std::invoke(text_of, item);
    is_first = false;
  }
  return text;
}

/// The number of characters in UTF-8 text.
[[nodiscard]] std::size_t character_count(const std::string& text);

/// UTF-8 text on one line of at most `most` characters: the part cut off becomes "…", and control
/// characters become '?'.
[[nodiscard]] std::string in_one_line(const std::string& text, std::size_t most);

/// The text if it has at most `longest_bytes`; otherwise that much of it, cut between UTF-8
/// characters, and "…".
[[nodiscard]] std::string shortened(std::string_view text, std::size_t longest_bytes);

/// The last `longest_bytes` of the text, or a little less: it begins with a whole UTF-8 character.
[[nodiscard]] std::string_view end_of(std::string_view text, std::size_t longest_bytes);

/// The last line that does not begin with a blank, so that an error which shows an excerpt below
/// itself is found; without whitespace at its end. If there is none, the last line that is not
/// blank. A view into `text`.
[[nodiscard]] std::string_view last_line(std::string_view text);

/// `text` with each of the given characters replaced by a text.
[[nodiscard]] std::string with_replacements(
    std::string_view text, std::initializer_list<std::pair<char, std::string_view>> replacements);

/// `text` in single quotes, as one word of a POSIX shell that stands for `text` itself.
[[nodiscard]] std::string shell_quoted(std::string_view text);

/// The number of insertions, deletions, replacements and swaps of neighbours that turn `left` into
/// `right`, ignoring case. Considers at most 256 characters of each.
[[nodiscard]] std::size_t edit_distance(std::string_view left, std::string_view right);

/// The name that `wanted` probably stands for: the nearest one, the first on a tie. Null if none is
/// within one mistake per four characters, plus one.
[[nodiscard]] const std::string* nearest_name(std::string_view wanted,
                                              const std::vector<std::string>& names);

/// `text` without leading and trailing whitespace. A view into `text`.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kWhitespace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kWhitespace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhitespace) - first + 1);
}

}  // namespace runahead
