#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

namespace runahead {

/// Appends `number` in decimal digits, as std::to_chars writes it with `format`; it must fit in 32
/// characters. Allocates only as the text grows. Independent of the locale.
void append_number(std::string& text, auto number, auto... format) {
  std::array<char, 32> digits{};
  const auto written =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, format...);
  text.append(digits.data(), written.ptr);
}

/// The number that the whole text is, as std::from_chars reads it; nullopt if it is none, or one
/// that a `Number` cannot hold.
template <typename Number>
[[nodiscard]] std::optional<Number> parse_number(std::string_view text) noexcept {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  return is_number ? std::optional(number) : std::nullopt;
}

/// "1 run", "6,860 runs", "2 batches": a count and its noun. @param plural  "": with an s.
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun,
                                  std::string_view plural = "");

/// `value` as printf writes it with `pattern`, which has one conversion, for a double.
[[nodiscard]] std::string formatted(const char* pattern, double value);

/// `value` with three significant digits, and none beyond the third decimal: "0.262", "2.10",
/// "204".
[[nodiscard]] std::string three_digits(double value);

/// `value` with `digits` significant digits, without trailing zeros or an exponent; from 1,000 on
/// as a whole number, and from 10^15 on with one: "0.0000412", "2.5", "1,235", "3.82e+22".
[[nodiscard]] std::string significant(double value, int digits);

/// A whole number with a comma between thousands: "1,234".
[[nodiscard]] std::string format_count(double count);

/// "2, 3, 28": a list of numbers; the caller adds brackets.
[[nodiscard]] std::string comma_separated(std::span<const std::int64_t> numbers);

}  // namespace runahead
