#include "core/base/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/base/text.h"

namespace runahead {
namespace {

constexpr double kMostCounted = 1e15;  // Larger numbers are written with an exponent.

}  // namespace

std::string formatted(const char* pattern, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), pattern, value);
  return text.data();
}

std::string three_digits(double value) {
  const double size = std::abs(value);
  const int decimals = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  std::string text;
  if (size >= kMostCounted) {
    append_number(text, value, std::chars_format::scientific, 2);
  } else {
    append_number(text, value, std::chars_format::fixed, decimals);
  }
  return text;
}

std::string significant(double value, int digits) {
  constexpr double kLeast = 1e-12;  // No measured value is smaller.
  const double size = std::abs(value);
  std::string text;
  if (size >= kMostCounted) {
    append_number(text, value, std::chars_format::general, digits);
    return text;
  }
  if (size >= 999.5) return format_count(value);
  if (!(size >= kLeast)) return size == 0.0 ? "0" : formatted("%g", value);
  const int decimals = std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(size))));
  append_number(text, value, std::chars_format::fixed, decimals);
  if (decimals > 0) text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string format_count(double count) {
  std::string text;
  if (std::abs(count) >= kMostCounted) {
    append_number(text, count);
    return text;
  }
  append_number(text, std::llround(count));
  const std::size_t first_digit = count < 0 ? 1 : 0;
  for (std::size_t place = text.size(); place > first_digit + 3; place -= 3) {
    text.insert(place - 3, 1, ',');
  }
  return text;
}

std::string counted(std::uint64_t count, std::string_view noun, std::string_view plural) {
  std::string text = format_count(static_cast<double>(count)) + " ";
  if (count == 1) return text.append(noun);
  return plural.empty() ? text.append(noun).append("s") : text.append(plural);
}

std::string comma_separated(std::span<const std::int64_t> numbers) {
  return joined(numbers, ", ", [](std::int64_t number) { return std::to_string(number); });
}

}  // namespace runahead
