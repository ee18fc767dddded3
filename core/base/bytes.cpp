#include "core/base/bytes.h"

#include <algorithm>
#include <array>
#include <charconv>
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

}  // namespace

std::optional<std::uint64_t> parse_bytes(std::string_view text) noexcept {
  const char* const end = text.data() + text.size();
  std::uint64_t whole = 0;
  std::from_chars_result read = std::from_chars(text.data(), end, whole);
  double fraction = 0.0;
  const bool has_fraction = read.ec == std::errc{} && read.ptr != end && *read.ptr == '.';
  if (has_fraction) {
    read = std::from_chars(read.ptr, end, fraction, std::chars_format::fixed);
  }
  if (read.ec != std::errc{}) return std::nullopt;
  const bool has_space = read.ptr != end && *read.ptr == ' ';
  const std::string_view name(read.ptr + (has_space ? 1 : 0), end);
  const std::optional<Unit> unit = find_unit(name);
  if (!unit || (name.empty() && (has_space || has_fraction))) return std::nullopt;

  std::uint64_t bytes = 0;
  const auto fraction_bytes =
      static_cast<std::uint64_t>(fraction * static_cast<double>(unit->bytes));
  if (__builtin_mul_overflow(whole, unit->bytes, &bytes) ||
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
