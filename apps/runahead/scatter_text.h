#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace runahead::apps {

struct ScatterPoint {
  double x = 0.0;
  double y = 0.0;
  std::string symbol{};  ///< One character, UTF-8.
};

/// Points in a plane.
struct ScatterChart {
  std::string x_title{};
  std::string y_title{};
  std::vector<ScatterPoint> points{};  ///< A later point hides an earlier one in the same place.
  std::optional<double> level{};       ///< Value of y that is marked with a dotted line.
  std::size_t columns = 64;            ///< Width of the plane, at least 2.
  std::size_t rows = 12;               ///< Height of the plane, at least 2.
};

/// The chart in characters, in lines that end with a newline: the plane between two axes, with the
/// smallest and the largest value on each, and the level. The x axis is logarithmic if all values
/// are above 0 and span a factor of more than 8. Empty if there are no points.
[[nodiscard]] std::string scatter_text(const ScatterChart& chart);

}  // namespace runahead::apps
