#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"

namespace runahead::experiment {

/// The measurements of one repeat of a program.
class Repeat {
 public:
  /// Adds a figure, whose key ends with its unit. Use each key once.
  void measure(const std::string& key, double value) { figures_.emplace_back(key, value); }
  /// Adds a fact: whether something held.
  void observe(const std::string& key, bool holds) { facts_.emplace_back(key, holds); }
  /// Keeps any other value; that of the last repeat is reported.
  void keep(const std::string& key, Json value) { kept_[key] = std::move(value); }

 private:
  friend class MeasuredFigures;

  std::vector<std::pair<std::string, double>> figures_{};
  std::vector<std::pair<std::string, bool>> facts_{};
  Json kept_ = Json::object();
};

/// Collects the repeats of a program as its record shows them. Not thread-safe.
class MeasuredFigures {
 public:
  void add(const Repeat& repeat);

  /// Each figure as {median, min, max, count}, each fact as whether it held in every repeat, and
  /// kept values unchanged. Keys are in the order in which they were first measured.
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

/// Estimates the most operations in flight at once, assuming that all take the same time and run
/// one after another. At `issued_seconds[i]`, when call i has returned, the operations in flight
/// are those issued so far whose turn has not come yet. The result is about 0 if the calls
/// themselves execute, the number of operations if no call blocks, and otherwise the bound on
/// operations in flight.
/// @param issued_seconds  Time of each call's return since the start of the first, in call order;
///        at least one.
/// @param total_seconds  Time until the last operation had finished; above 0.
[[nodiscard]] double most_in_flight(const std::vector<double>& issued_seconds,
                                    double total_seconds);

}  // namespace runahead::experiment
