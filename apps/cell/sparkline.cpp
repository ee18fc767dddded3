#include "apps/cell/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"

namespace runahead::cell {
namespace {

constexpr std::array<const char*, 8> kBlocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/// The highest value in each of `width` equal parts of the time. A part without points has the
/// preceding value.
std::vector<std::optional<double>> highest_by_share(const std::vector<CurvePoint>& points,
                                                    std::size_t width) {
  std::vector<std::optional<double>> highest(width);
  const double begin = points.front().time_seconds;
  const double span = points.back().time_seconds - begin;
  for (const CurvePoint& point : points) {
    if (!point.value) continue;
    const double share = span > 0.0 ? (point.time_seconds - begin) / span : 0.0;
    const auto index =
        std::min(static_cast<std::size_t>(share * static_cast<double>(width)), width - 1);
    highest[index] = std::max(highest[index].value_or(*point.value), *point.value);
  }
  for (std::size_t i = 1; i < width; ++i) {
    if (!highest[i]) highest[i] = highest[i - 1];
  }
  return highest;
}

}  // namespace

std::optional<ValueRange> range_of(const std::vector<CurvePoint>& points) {
  std::optional<ValueRange> range;
  for (const CurvePoint& point : points) {
    if (!point.value) continue;
    if (!range) range = {*point.value, *point.value};
    range = {std::min(range->lowest, *point.value), std::max(range->highest, *point.value)};
  }
  return range;
}

std::string sparkline(const std::vector<CurvePoint>& points, std::size_t width) {
  RUNAHEAD_REQUIRE(width >= 1, "a sparkline needs a width");
  if (points.empty()) return {};
  const auto values = highest_by_share(points, width);
  const std::optional<ValueRange> range = range_of(points);
  if (!range) return {};
  const double span = range->highest - range->lowest;
  std::string line;
  for (const auto& value : values) {
    const double height = value && span > 0.0 ? (*value - range->lowest) / span : 0.0;
    line +=
        value ? kBlocks[static_cast<std::size_t>(std::lround(height * (kBlocks.size() - 1)))] : " ";
  }
  return line;
}

}  // namespace runahead::cell
