#pragma once

#include <optional>
#include <vector>

#include "core/record/figures.h"
#include "core/record/record.h"
#include "core/record/status.h"

namespace runahead::sweep {

/// The figures that tables of a sweep show, in their order.
[[nodiscard]] const std::vector<record::Figure>& sweep_figures();

/// What a sweep keeps of one run.
struct RunFigures {
  record::Status status = record::Status::kOk;
  /// One value for each of sweep_figures(); nullopt: not measured. Empty: none was.
  std::vector<std::optional<double>> values{};
  std::optional<double> wall_seconds{};  ///< Of its process or, if unknown, of its clock.
  bool shared_cpus = false;              ///< If so, its times are not comparable with other runs'.
};

[[nodiscard]] RunFigures figures_of(const record::Record& record);

}  // namespace runahead::sweep
