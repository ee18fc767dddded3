#pragma once

#include <cstddef>
#include <optional>

namespace runahead {

/// The current width of the terminal `file_descriptor`, in characters; 80 if it does not report
/// one. nullopt if it is not a terminal, or cannot move its cursor (TERM is "dumb").
[[nodiscard]] std::optional<std::size_t> terminal_columns(int file_descriptor) noexcept;

}  // namespace runahead
