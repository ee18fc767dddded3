#pragma once

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

}  // namespace runahead
