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

/// A curve in `width` characters of eighths of a block, UTF-8, from the lowest value to the
/// highest: each character shows the highest value of its share of the time, or of the last one
/// before it. A space stands for what was not measured. Empty if nothing was.
/// @param points  Ascending in time. @param width  At least 1.
[[nodiscard]] std::string sparkline(const std::vector<CurvePoint>& points, std::size_t width);

}  // namespace runahead::cell
