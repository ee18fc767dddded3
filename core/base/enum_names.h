#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace runahead {

/// Whether an enum declares `Value`.
template <auto Value>
[[nodiscard]] consteval bool is_enumerator() {
  // GCC and Clang end it with "Value = Enum::kName]", or with "Value = (Enum)7]".
  constexpr std::string_view kText = __PRETTY_FUNCTION__;
  const char first = kText[kText.rfind(')') + 1];
  return first < '0' || first > '9';
}

/// Whether `Enum` declares the values from 0 to `Count` - 1, and not `Count`.
template <typename Enum, std::size_t Count>
inline constexpr bool kHasValues = is_enumerator<static_cast<Enum>(Count - 1)>() &&
                                   !is_enumerator<static_cast<Enum>(Count)>();

/// The names of an enum's values in configs and in Python, in the order of the enum. They are
/// declared next to the enum, as `constexpr auto enum_names(Enum)`, which returns an array of
/// strings.
template <typename Enum>
[[nodiscard]] const std::vector<std::string>& names_of() {
  constexpr auto kNames = enum_names(Enum{});
  static_assert(kHasValues<Enum, kNames.size()>, "one name for each value of the enum");
  static const std::vector<std::string> names(kNames.begin(), kNames.end());
  return names;
}

/// The name of `value` (or what else is listed for it) in `names`, which are in the order of the
/// enum. Does not compile unless there is one for each value.
template <typename Name, std::size_t Count, typename Enum>
[[nodiscard]] constexpr const Name& name_at(const std::array<Name, Count>& names, Enum value) {
  static_assert(kHasValues<Enum, Count>, "one name for each value of the enum");
  return names[static_cast<std::size_t>(value)];
}

}  // namespace runahead
