#pragma once

#include <cstddef>
#include <string>

namespace runahead {

/// Characters of UTF-8 text.
[[nodiscard]] std::size_t character_count(const std::string& text);

/// UTF-8 text in one line of at most `most` characters: what is cut off becomes "…", and control
/// characters become '?'.
[[nodiscard]] std::string in_one_line(const std::string& text, std::size_t most);

}  // namespace runahead
