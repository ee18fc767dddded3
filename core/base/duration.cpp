#include "core/base/duration.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/number_text.h"

namespace runahead {
namespace {

constexpr std::pair<std::string_view, double> kDurationUnits[] = {
    {"", 1.0},     {"us", 1e-6},  {"ms", 1e-3},  {"s", 1.0},
    {"min", 60.0}, {"h", 3600.0}, {"d", 86400.0}};
constexpr double kSecondsPerMinute = 60.0;
constexpr double kSecondsPerHour = 3600.0;

}  // namespace

std::optional<double> parse_duration(std::string_view text) noexcept {
  const std::size_t unit_start = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view digits = text.substr(0, unit_start);
  std::string_view unit = text.substr(unit_start);
  unit.remove_prefix(unit.size() > 1 && unit.front() == ' ' ? 1 : 0);

  const std::optional<double> number = parse_number<double>(digits);
  if (!number) return std::nullopt;
  for (const auto& [name, seconds] : kDurationUnits) {
    if (unit == name && std::isfinite(*number * seconds)) return *number * seconds;
  }
  return std::nullopt;
}

std::string format_duration(double seconds) {
  // Values below this share of the next unit are shown with three digits as less than that unit.
  constexpr double kBelowNext = 0.9995;
  const double size = std::abs(seconds);
  if (size == 0.0) return "0 s";
  if (size < 1e-3 * kBelowNext) return three_digits(seconds * 1e6) + " µs";
  if (size < kBelowNext) return three_digits(seconds * 1e3) + " ms";
  if (size < 1000.0 * kBelowNext) return three_digits(seconds) + " s";
  if (size < 2.0 * kSecondsPerHour) return three_digits(seconds / kSecondsPerMinute) + " min";
  return three_digits(seconds / kSecondsPerHour) + " h";
}

std::string format_rough_duration(double seconds) {
  if (seconds >= 2.0 * kSecondsPerHour) return formatted("%.1f h", seconds / kSecondsPerHour);
  if (seconds >= 2.0 * kSecondsPerMinute) return formatted("%.0f min", seconds / kSecondsPerMinute);
  return significant(seconds, 3) + " s";
}

}  // namespace runahead
