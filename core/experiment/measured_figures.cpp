#include "core/experiment/measured_figures.h"

#include <algorithm>
#include <cstddef>

#include "core/base/error.h"
#include "core/base/statistics.h"

namespace runahead::experiment {

void MeasuredFigures::add(const Repeat& repeat) {
  for (const auto& [key, value] : repeat.figures_) {
    const auto same = std::ranges::find(figures_, key, &Figure::key);
    Figure& figure = same != figures_.end() ? *same : figures_.emplace_back(Figure{.key = key});
    figure.values.push_back(value);
  }
  for (const auto& [key, holds] : repeat.facts_) facts_[key] = facts_.value(key, true) && holds;
  kept_.update(repeat.kept_);
}

Json MeasuredFigures::to_json() const {
  Json document = Json::object();
  for (const Figure& figure : figures_) {
    document[figure.key] = runahead::to_json(spread_of(figure.values));
  }
  document.update(facts_);
  document.update(kept_);
  return document;
}

double most_in_flight(const std::vector<double>& issued_seconds, double total_seconds) {
  RUNAHEAD_REQUIRE(!issued_seconds.empty() && total_seconds > 0.0, "nothing was issued");
  const double each = total_seconds / static_cast<double>(issued_seconds.size());
  double peak = 0.0;
  for (std::size_t i = 0; i < issued_seconds.size(); ++i) {
    peak = std::max(peak, static_cast<double>(i + 1) - issued_seconds[i] / each);
  }
  return peak;
}

}  // namespace runahead::experiment
