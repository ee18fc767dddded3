#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace runahead::cell {

/// A point of a curve; nullopt values were not measured.
struct CurvePoint {
  double time_seconds = 0.0;
  std::optional<double> value{};
};

struct ValueRange {
  double lowest = 0.0;
  double highest = 0.0;
};

/// The range of the values that were measured, if any.
[[nodiscard]] std::optional<ValueRange> range_of(const std::vector<CurvePoint>& points);

/// A curve of `width` UTF-8 characters of eighths of a block, scaled from the lowest value to the
/// highest. Each character shows the highest value in its part of the time, or the last value
/// before it. A space means not measured. Empty if nothing was measured.
/// @param points  Ascending in time. @param width  At least 1.
[[nodiscard]] std::string sparkline(const std::vector<CurvePoint>& points, std::size_t width);

}  // namespace runahead::cell
