#pragma once

#include <cstddef>
#include <string>

namespace runahead {

/// The number of characters in UTF-8 text.
[[nodiscard]] std::size_t character_count(const std::string& text);

/// UTF-8 text on one line of at most `most` characters: the part cut off becomes "…", and control
/// characters become '?'.
[[nodiscard]] std::string in_one_line(const std::string& text, std::size_t most);

}  // namespace runahead
