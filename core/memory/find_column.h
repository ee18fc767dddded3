#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runahead::memory {

/// The index of a column among those of a probe or a series; nullopt if it is not there.
[[nodiscard]] inline std::optional<std::size_t> find_column(const std::vector<std::string>& columns,
                                                            std::string_view name) noexcept {
  const auto found = std::ranges::find(columns, name);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

}  // namespace runahead::memory
