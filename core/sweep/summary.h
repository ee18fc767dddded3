#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/statistics.h"
#include "core/sweep/plan.h"
#include "core/sweep/sweep.h"

namespace runahead::sweep {

/// Summary of a cell over its repeats, or of all cells that share a value of an axis. The figures
/// are those of the runs that ended ok, as in a report.
struct CellSummary {
  Json axes = Json::object();  ///< JSON pointer to value.
  std::string status{};        ///< "ok", or counts if they differ: "2 ok, 1 crashed"; "not run".
  /// One for each of sweep_figures(); nullopt: not measured, or no run ended ok.
  std::vector<std::optional<Spread>> figures{};
};

/// The summary of one cell of the plan.
[[nodiscard]] CellSummary summarise(const Plan& plan, const SweepResult& result, std::size_t cell);

/// One summary per cell, in the order of the plan.
[[nodiscard]] std::vector<CellSummary> summarise(const Plan& plan, const SweepResult& result);

/// One axis, with a summary for each of its values, in the order of the plan. States are of all
/// cells with that value. Figures compare the values, so they are of those cells only whose other
/// axes, without those that `zip` joins to this one, have a run that is ok at each value (except
/// values at which no run is). If the plan crosses nothing with all values, they are of all cells.
struct AxisSummary {
  std::string pointer{};
  std::vector<CellSummary> values{};
};

/// The axes that take several values, in the order of the plan.
[[nodiscard]] std::vector<AxisSummary> summarise_axes(const Plan& plan, const SweepResult& result);

}  // namespace runahead::sweep
