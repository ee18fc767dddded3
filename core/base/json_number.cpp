#include "core/base/json_number.h"

#include <cmath>

namespace runahead {

std::optional<std::int64_t> integer_of(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    return std::in_range<std::int64_t>(number) ? std::optional(static_cast<std::int64_t>(number))
                                               : std::nullopt;
  }
  if (value.is_number_integer()) {
    return value.get<std::int64_t>();
  }
  const double number = value.is_number() ? value.get<double>() : 0.5;
  if (std::trunc(number) != number || std::abs(number) >= 0x1p63) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(number);
}

std::optional<std::uint64_t> whole_of(const Json& value) {
  if (value.is_number_unsigned()) {
    return value.get<std::uint64_t>();
  }
  const double number = value.is_number() ? value.get<double>() : 0.5;
  if (std::trunc(number) != number || number < 0.0 || number >= 0x1p64) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(number);
}

}  // namespace runahead
