#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"

namespace runahead::experiment {

/// What one repeat of a program measured.
class Repeat {
 public:
  /// A figure, with its unit at the end of its key. Each key once.
  void measure(const std::string& key, double value) { figures_.emplace_back(key, value); }
  /// Something that was so, or not.
  void observe(const std::string& key, bool holds) { facts_.emplace_back(key, holds); }
  /// Anything else: that of the last repeat stays.
  void keep(const std::string& key, Json value) { kept_[key] = std::move(value); }

 private:
  friend class MeasuredFigures;

  std::vector<std::pair<std::string, double>> figures_{};
  std::vector<std::pair<std::string, bool>> facts_{};
  Json kept_ = Json::object();
};

/// Repeats of a program, as its record shows them. Not thread-safe.
class MeasuredFigures {
 public:
  void add(const Repeat& repeat);

  /// Each figure as {median, min, max, count}; each fact as whether it held in every repeat; what
  /// was kept as it is. Keys in the order in which they were first measured.
  [[nodiscard]] Json to_json() const;

 private:
  struct Figure {
    std::string key{};
    std::vector<double> values{};
  };

  std::vector<Figure> figures_{};
  Json facts_ = Json::object();
  Json kept_ = Json::object();
};

}  // namespace runahead::experiment
