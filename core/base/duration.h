#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace runahead {

/// Parses a duration into seconds: a number and one of us, ms, s, min, h, d, as in "250ms" or
/// "1.5h"; without a unit, seconds; one space may precede the unit.
/// @return nullopt if `text` is anything else (a sign, an exponent) or no double can hold it.
[[nodiscard]] std::optional<double> parse_duration(std::string_view text) noexcept;

/// A human-readable duration, in a suitable unit and with three digits: "62.8 µs", "12.2 s",
/// "2.50 h".
[[nodiscard]] std::string format_duration(double seconds);

/// A duration that is only roughly known, at least 0 s: "90 s", "15 min", "2.5 h".
[[nodiscard]] std::string format_rough_duration(double seconds);

}  // namespace runahead
