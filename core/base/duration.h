#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace runahead {

/// Seconds of a duration: a number and one of us, ms, s, min, h, d, as in "250ms" or "1.5h";
/// without a unit, seconds; one space may precede the unit.
/// @return nullopt if `text` is anything else (a sign, an exponent) or no double can hold it.
[[nodiscard]] std::optional<double> parse_duration(std::string_view text) noexcept;

/// A duration of at least 0 s for people: "90 s", "15 min", "2.5 h". Two or three digits.
[[nodiscard]] std::string format_duration(double seconds);

}  // namespace runahead
