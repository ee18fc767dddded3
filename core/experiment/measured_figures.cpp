#include "core/experiment/measured_figures.h"

#include <algorithm>

#include "core/base/spread.h"

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

}  // namespace runahead::experiment
