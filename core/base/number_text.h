#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace runahead {

/// Appends `number` in decimal digits, as std::to_chars writes it with `format`, which for a number
/// of at most 32 characters allocates nothing but the text's own growth. The locale plays no part.
void append_number(std::string& text, auto number, auto... format) {
  std::array<char, 32> digits{};
  const auto written =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, format...);
  text.append(digits.data(), written.ptr);
}

/// "1 run", "6 runs": a count and its noun, whose plural has an s.
[[nodiscard]] inline std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace runahead
