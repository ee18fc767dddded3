#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace runahead {

/// The names of an enum's values in configs and in Python, in the order of the enum. They are
/// declared next to the enum, as `constexpr auto enum_names(Enum)`, which returns an array of
/// strings.
template <typename Enum>
[[nodiscard]] const std::vector<std::string>& names_of() {
  constexpr auto kNames = enum_names(Enum{});
  static const std::vector<std::string> names(kNames.begin(), kNames.end());
  return names;
}

/// The name of `value` (or what else is listed for it) in `names`, which are in the order of the
/// enum. Does not compile unless there are as many as values up to `Last`, the last of the enum.
template <auto Last, typename Name, std::size_t N>
[[nodiscard]] constexpr const Name& name_at(const std::array<Name, N>& names,
                                            decltype(Last) value) {
  static_assert(N == static_cast<std::size_t>(Last) + 1, "one name for each value of the enum");
  return names[static_cast<std::size_t>(value)];
}

}  // namespace runahead
