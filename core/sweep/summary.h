#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/sweep/plan.h"
#include "core/sweep/sweep.h"

namespace runahead::sweep {

/// Median and range of a figure over repeats.
struct Spread {
  double median = 0.0;  ///< Of an even count the mean of the middle two.
  double min = 0.0;
  double max = 0.0;
  std::size_t count = 0;
};

/// nullopt for no values.
[[nodiscard]] std::optional<Spread> spread_of(std::vector<double> values);

/// A cell over its repeats; figures are those of the repeats that ended ok, or, if none did, of
/// those that measured something.
struct CellSummary {
  Json axes = Json::object();
  std::string status{};  ///< "ok", or counts of what differs: "2 ok, 1 crashed"; "not run".
  std::optional<Spread> issue_seconds{};
  std::optional<Spread> total_seconds{};
  std::optional<Spread> rss_growth_bytes{};
  std::optional<Spread> batches_peak{};
  std::optional<Spread> held_peak_bytes{};
  std::optional<Spread> loss_last{};
};

/// One summary a cell, in the order of the plan.
[[nodiscard]] std::vector<CellSummary> summarise(const Plan& plan, const SweepResult& result);

/// `spread` as {median, min, max, count}; null for nullopt.
[[nodiscard]] Json to_json(const std::optional<Spread>& spread);

}  // namespace runahead::sweep
