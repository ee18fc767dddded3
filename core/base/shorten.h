#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace runahead {

/// The text if it has at most `longest_bytes`; otherwise that much of it, cut between UTF-8
/// characters, and "…".
[[nodiscard]] std::string shortened(std::string_view text, std::size_t longest_bytes);

}  // namespace runahead
