#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace runahead {

/// The text if it has at most `longest_bytes`; else as many of its first ones as are no torn UTF-8
/// sequence, and "…".
[[nodiscard]] std::string shortened(std::string_view text, std::size_t longest_bytes);

}  // namespace runahead
