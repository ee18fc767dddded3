#include "core/base/characters.h"

#include <algorithm>

namespace runahead {

namespace {

bool begins_a_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

bool is_control(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return code < 0x20U || code == 0x7FU;
}

}  // namespace

std::size_t character_count(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_a_character));
}

std::string in_one_line(const std::string& text, std::size_t most) {
  std::string line = text;
  std::replace_if(line.begin(), line.end(), is_control, '?');
  if (character_count(line) <= most) return line;
  if (most == 0) return "";
  auto end = line.begin();
  for (std::size_t kept = 0; end != line.end(); ++end) {
    if (begins_a_character(*end) && kept++ == most - 1) break;
  }
  line.erase(end, line.end());
  return line + "…";
}

}  // namespace runahead
