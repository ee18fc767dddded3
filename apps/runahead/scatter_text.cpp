#include "apps/runahead/scatter_text.h"

#include <algorithm>
#include <cmath>

#include "core/base/number_text.h"

namespace runahead::apps {

namespace {

constexpr double kWidestLinear = 8.0;
constexpr std::size_t kLabelColumns = 7;

/// Maps values to an axis with a given number of places.
class Axis {
 public:
  Axis(double least, double greatest, std::size_t places, bool is_logarithmic)
      : least_(least), greatest_(greatest), places_(places), is_logarithmic_(is_logarithmic) {}

  [[nodiscard]] std::size_t place_of(double value) const {
    const double span = scaled(greatest_) - scaled(least_);
    if (span <= 0.0) return 0;
    const double share = (scaled(value) - scaled(least_)) / span;
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(places_ - 1)));
  }

  [[nodiscard]] double least() const { return least_; }
  [[nodiscard]] double greatest() const { return greatest_; }
  [[nodiscard]] bool is_logarithmic() const { return is_logarithmic_; }

 private:
  [[nodiscard]] double scaled(double value) const {
    return is_logarithmic_ ? std::log(value) : value;
  }

  double least_;
  double greatest_;
  std::size_t places_;
  bool is_logarithmic_;
};

Axis x_axis(const ScatterChart& chart) {
  const auto [least, greatest] = std::ranges::minmax_element(
      chart.points, [](const auto& one, const auto& other) { return one.x < other.x; });
  const bool is_logarithmic = least->x > 0.0 && greatest->x > kWidestLinear * least->x;
  return {least->x, greatest->x, chart.columns, is_logarithmic};
}

Axis y_axis(const ScatterChart& chart) {
  double least = chart.level.value_or(chart.points.front().y);
  double greatest = least;
  for (const ScatterPoint& point : chart.points) {
    least = std::min(least, point.y);
    greatest = std::max(greatest, point.y);
  }
  return {least, greatest, chart.rows, false};
}

std::string label(const std::string& text) {
  return std::string(kLabelColumns - std::min(kLabelColumns, text.size()), ' ') + text;
}

std::string row_text(const std::vector<std::string>& cells) {
  std::string text;
  for (const std::string& cell : cells) text += cell;
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// "0.262", "44", "12,346".
std::string tick_text(double value) {
  const bool is_whole = value == std::floor(value) || std::abs(value) >= 999.5;
  return is_whole ? format_count(value) : three_digits(value);
}

std::string x_labels(const ScatterChart& chart, const Axis& x) {
  const std::string least = tick_text(x.least());
  const std::string greatest = tick_text(x.greatest());
  const std::size_t taken = least.size() + greatest.size();
  const std::string gap(chart.columns - std::min(chart.columns, taken), ' ');
  return label("") + "  " + least + gap + greatest + "\n" + label("") + "  " + chart.x_title +
         (x.is_logarithmic() ? ", logarithmic" : "") + "\n";
}

}  // namespace

std::string scatter_text(const ScatterChart& chart) {
  if (chart.points.empty()) return {};
  const Axis x = x_axis(chart);
  const Axis y = y_axis(chart);
  std::vector<std::vector<std::string>> plane(chart.rows,
                                              std::vector<std::string>(chart.columns, " "));
  std::vector<std::string> labels(chart.rows);
  labels[0] = formatted("%.3f", y.least());
  labels[chart.rows - 1] = formatted("%.3f", y.greatest());
  if (chart.level) {
    const std::size_t row = y.place_of(*chart.level);
    labels[row] = formatted("%.3f", *chart.level);
    for (std::size_t column = 0; column < chart.columns; column += 2) plane[row][column] = "·";
  }
  for (const ScatterPoint& point : chart.points) {
    plane[y.place_of(point.y)][x.place_of(point.x)] = point.symbol;
  }

  std::string text = chart.y_title + "\n";
  for (std::size_t row = chart.rows; row-- > 0;) {
    text += label(labels[row]) + " │" + row_text(plane[row]) + "\n";
  }
  std::string rule = label("") + " └";
  for (std::size_t column = 0; column < chart.columns; ++column) rule += "─";
  return text + rule + "\n" + x_labels(chart, x);
}

}  // namespace runahead::apps
