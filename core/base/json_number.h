#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/base/json.h"

namespace runahead {

/// The integer that a JSON number equals: 3 and 3.0, but not 3.5. nullopt if there is none, or if
/// the type cannot hold it; nlohmann's own conversions then round, wrap around or are undefined.
template <std::integral Integer>
[[nodiscard]] std::optional<Integer> integer_as(const Json& value) {
  const auto held = [](auto number) {
    return std::in_range<Integer>(number) ? std::optional(static_cast<Integer>(number))
                                          : std::nullopt;
  };
  if (value.is_number_unsigned()) return held(value.get<std::uint64_t>());
  if (value.is_number_integer()) return held(value.get<std::int64_t>());
  const double number = value.is_number() ? value.get<double>() : 0.5;
  if (std::trunc(number) != number || number <= -0x1p63 || number >= 0x1p64) return std::nullopt;
  return number < 0.0 ? held(static_cast<std::int64_t>(number))
                      : held(static_cast<std::uint64_t>(number));
}

}  // namespace runahead
