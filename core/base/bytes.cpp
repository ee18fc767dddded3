#include "core/base/bytes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/number_text.h"

namespace runahead {
namespace {

struct Unit {
  std::string_view name{};  ///< Lower case.
  std::uint64_t bytes = 1;
};

constexpr std::array<Unit, 12> kUnits{{{"", 1},
                                       {"b", 1},
                                       {"kb", 1'000},
                                       {"mb", 1'000'000},
                                       {"gb", 1'000'000'000},
                                       {"tb", 1'000'000'000'000},
                                       {"pb", 1'000'000'000'000'000},
                                       {"kib", std::uint64_t{1} << 10},
                                       {"mib", std::uint64_t{1} << 20},
                                       {"gib", std::uint64_t{1} << 30},
                                       {"tib", std::uint64_t{1} << 40},
                                       {"pib", std::uint64_t{1} << 50}}};

bool is_digit(char character) { return character >= '0' && character <= '9'; }

char to_lower(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a')
                                              : character;
}

std::optional<Unit> find_unit(std::string_view name) {
  const auto unit = std::ranges::find_if(kUnits, [&](const Unit& candidate) {
    return std::ranges::equal(candidate.name, name, {}, {}, to_lower);
  });
  return unit == kUnits.end() ? std::nullopt : std::optional(*unit);
}

std::string_view take_digits(std::string_view& text) {
  const auto count =
      static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

/// Value of the digits after a decimal point, in [0, 1).
double fraction_of(std::string_view digits) {
  double value = 0.0;
  for (std::size_t i = digits.size(); i > 0; --i) value = (value + (digits[i - 1] - '0')) / 10.0;
  return value;
}

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text) noexcept {
  const auto whole = parse_number<std::uint64_t>(take_digits(text));
  if (!whole) return std::nullopt;

  std::string_view fraction_digits;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction_digits = take_digits(text);
    if (fraction_digits.empty()) return std::nullopt;
  }
  const bool has_space = text.starts_with(' ');
  if (has_space) text.remove_prefix(1);
  const std::optional<Unit> unit = find_unit(text);
  if (!unit || (text.empty() && (has_space || !fraction_digits.empty()))) return std::nullopt;

  std::uint64_t bytes = 0;
  const auto fraction_bytes =
      static_cast<std::uint64_t>(fraction_of(fraction_digits) * static_cast<double>(unit->bytes));
  if (__builtin_mul_overflow(*whole, unit->bytes, &bytes) ||
      __builtin_add_overflow(bytes, fraction_bytes, &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

std::string format_bytes(std::uint64_t bytes) { return format_size(static_cast<double>(bytes)); }

std::string format_size(double bytes) {
  constexpr std::array<const char*, 6> kNames{"kB", "MB", "GB", "TB", "PB", "EB"};
  if (std::abs(bytes) < 1000.0) return format_count(bytes) + " B";
  double value = bytes / 1000.0;
  std::size_t unit = 0;
  // 999.5 of a unit would be written as 1000 of it.
  while (std::abs(value) >= 999.5 && unit + 1 < kNames.size()) {
    value /= 1000.0;
    ++unit;
  }
  return three_digits(value) + " " + kNames[unit];
}

}  // namespace runahead
