#pragma once

#include <optional>
#include <string_view>

namespace runahead {

/// Seconds of a duration: a number and one of us, ms, s, min, h, d, as in "250ms" or "1.5h";
/// without a unit, seconds; one space may precede the unit.
/// @return nullopt if `text` is anything else (a sign, an exponent) or no double can hold it.
[[nodiscard]] std::optional<double> parse_duration(std::string_view text) noexcept;

}  // namespace runahead
