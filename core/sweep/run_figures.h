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
  /// Of sweep_figures(), one each; nullopt: not measured. Empty: none was.
  std::vector<std::optional<double>> values{};
  std::optional<double> wall_seconds{};  ///< Of its process; of its clock where that is not known.
  bool shared_cpus = false;              ///< Its times do not compare with those of other runs.
};

[[nodiscard]] RunFigures figures_of(const record::Record& record);

}  // namespace runahead::sweep
