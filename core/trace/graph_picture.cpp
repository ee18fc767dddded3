// graph_svg: the picture of a dependency graph.

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/base/text.h"
#include "core/trace/graph_text.h"

namespace runahead::trace {
namespace {

// In SVG units, that is CSS pixels (96 per inch).
constexpr std::size_t kBoxWidth = 200;
constexpr std::size_t kBoxHeight = 44;
constexpr std::size_t kColumn = 220;
constexpr std::size_t kRow = 92;
constexpr std::size_t kMargin = 12;

struct Place {
  std::size_t x = 0;  ///< Coordinates of the upper left corner.
  std::size_t y = 0;
};

struct Layout {
  std::vector<Place> places{};
  std::size_t width = 0;
  std::size_t height = 0;
};

Layout lay_out(const DependencyGraph& graph) {
  const std::vector<std::size_t> layers = layers_of(graph);
  std::vector<std::size_t> used;  // Columns used in each row.
  Layout layout;
  for (const std::size_t layer : layers) {
    if (layer >= used.size()) used.resize(layer + 1, 0);
    const Place place{.x = kMargin + used[layer] * kColumn, .y = kMargin + layer * kRow};
    layout.places.push_back(place);
    ++used[layer];
    layout.width = std::max(layout.width, place.x + kBoxWidth + kMargin);
    layout.height = std::max(layout.height, place.y + kBoxHeight + kMargin);
  }
  return layout;
}

std::string escaped(std::string_view text) {
  return with_replacements(text, {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}});
}

std::string number(std::size_t value) { return std::to_string(value); }

std::string arrow(const Place& from, const Place& to, bool is_dashed) {
  const std::size_t begin = from.y + kBoxHeight;
  const std::size_t bend = (begin + to.y) / 2;
  const std::size_t from_x = from.x + kBoxWidth / 2;
  const std::size_t to_x = to.x + kBoxWidth / 2;
  return "<path d=\"M" + number(from_x) + " " + number(begin) + " C" + number(from_x) + " " +
         number(bend) + " " + number(to_x) + " " + number(bend) + " " + number(to_x) + " " +
         number(to.y) + "\" fill=\"none\" stroke=\"#444\" marker-end=\"url(#arrow)\"" +
         (is_dashed ? " stroke-dasharray=\"4 3\"" : "") + "/>\n";
}

std::string line_of_text(const Place& place, std::size_t below, std::string_view text) {
  return "<text x=\"" + number(place.x + kBoxWidth / 2) + "\" y=\"" + number(place.y + below) +
         "\" text-anchor=\"middle\">" + escaped(text) + "</text>\n";
}

std::string box(const Place& place, std::string_view title, std::string_view operands) {
  return "<rect x=\"" + number(place.x) + "\" y=\"" + number(place.y) + "\" width=\"" +
         number(kBoxWidth) + "\" height=\"" + number(kBoxHeight) +
         "\" rx=\"4\" fill=\"#fff\" stroke=\"#444\"/>\n" + line_of_text(place, 18, title) +
         line_of_text(place, 35, operands);
}

}  // namespace

std::string graph_svg(const DependencyGraph& graph) {
  const Layout layout = lay_out(graph);
  const std::string size = number(layout.width) + "\" height=\"" + number(layout.height);
  std::string text =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + size + "\" viewBox=\"0 0 " +
      number(layout.width) + " " + number(layout.height) +
      "\" font-family=\"sans-serif\" font-size=\"12\">\n<defs><marker id=\"arrow\" "
      "viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
      "orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"#444\"/></marker></defs>\n";
  for (const Dependency& dependency : graph.dependencies) {
    text += arrow(layout.places[dependency.before], layout.places[dependency.after],
                  dependency.hazard != Hazard::kReadAfterWrite);
  }
  for (std::size_t index = 0; index < graph.operations.size(); ++index) {
    const GraphOperation& operation = graph.operations[index];
    text += box(layout.places[index], std::to_string(index + 1) + " " + operation.name,
                operation.operands);
  }
  return text + "</svg>\n";
}

}  // namespace runahead::trace
