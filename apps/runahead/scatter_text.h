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
  std::vector<ScatterPoint> points{};  ///< A later one hides an earlier one in the same place.
  std::optional<double> level{};       ///< A height that is marked by a dotted line.
  std::size_t columns = 64;            ///< Of the plane, at least 2.
  std::size_t rows = 12;               ///< At least 2.
};

/// The chart in characters, each line ended: the plane between two axes, with the least and the
/// greatest value on each, and the level. x is logarithmic where it is above 0 and spans a factor
/// of more than 8. Empty if there are no points.
[[nodiscard]] std::string scatter_text(const ScatterChart& chart);

}  // namespace runahead::apps
