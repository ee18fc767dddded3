#pragma once

#include <optional>

#include "core/record/record.h"
#include "core/record/status.h"

namespace runahead::sweep {

/// What a table of a sweep shows of one run. nullopt: not measured.
struct RunFigures {
  record::Status status = record::Status::kOk;
  std::optional<double> issue_seconds{};
  std::optional<double> total_seconds{};
  std::optional<double> rss_growth_bytes{};
  std::optional<double> batches_peak{};
  std::optional<double> held_peak_bytes{};
  std::optional<double> loss_last{};
  std::optional<double> wall_seconds{};  ///< Of its process; of its clock where that is not known.
  bool shared_cpus = false;              ///< Its times do not compare with those of other runs.
};

[[nodiscard]] RunFigures figures_of(const record::Record& record);

}  // namespace runahead::sweep
