#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/json.h"

namespace runahead {

/// The integer that a JSON number equals: 3 and 3.0, but not 3.5. nullopt if there is none, or if
/// the type cannot hold it; nlohmann's own conversions then round, wrap around or are undefined.
[[nodiscard]] std::optional<std::int64_t> integer_of(const Json& value);
[[nodiscard]] std::optional<std::uint64_t> whole_of(const Json& value);

/// The number at JSON pointer `pointer` in `text`, as it is written there, if documents hold it as
/// a double: "1e9", "99999999999999999999". nullopt if there is none, or `text` is not JSON.
[[nodiscard]] std::optional<std::string> written_number(std::string_view text,
                                                        std::string_view pointer);

/// The first number in `text` that equals `value`, in the same way.
[[nodiscard]] std::optional<std::string> written_like(std::string_view text, double value);

template <std::signed_integral Integer>
[[nodiscard]] std::optional<Integer> integer_as(const Json& value) {
  const std::optional<std::int64_t> integer = integer_of(value);
  if (!integer || !std::in_range<Integer>(*integer)) return std::nullopt;
  return static_cast<Integer>(*integer);
}

template <std::unsigned_integral Integer>
[[nodiscard]] std::optional<Integer> integer_as(const Json& value) {
  const std::optional<std::uint64_t> integer = whole_of(value);
  if (!integer || !std::in_range<Integer>(*integer)) return std::nullopt;
  return static_cast<Integer>(*integer);
}

}  // namespace runahead
