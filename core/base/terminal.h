#pragma once

#include <cstddef>
#include <optional>

namespace runahead {

/// Characters in a line of the terminal that `file_descriptor` is, now; 80 if it does not tell.
/// nullopt if it is no terminal, or one that can't move its cursor (TERM is "dumb").
[[nodiscard]] std::optional<std::size_t> terminal_columns(int file_descriptor) noexcept;

}  // namespace runahead
