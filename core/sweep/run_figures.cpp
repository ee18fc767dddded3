#include "core/sweep/run_figures.h"

namespace runahead::sweep {

namespace {

template <typename T>
std::optional<double> as_double(const std::optional<T>& value) {
  return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

}  // namespace

RunFigures figures_of(const record::Record& record) {
  return {.status = record.status,
          .issue_seconds = record.time.issue_seconds,
          .total_seconds = record.time.total_seconds,
          .rss_growth_bytes = as_double(record.memory.rss_growth_bytes),
          .batches_peak = as_double(record.backlog.batches_peak),
          .held_peak_bytes = as_double(record.memory.held_peak_bytes),
          .loss_last = record.loss.last,
          .wall_seconds =
              record.cell.wall_seconds ? record.cell.wall_seconds : record.time.total_seconds,
          .shared_cpus = record.environment.cpus_shared.value_or(false)};
}

}  // namespace runahead::sweep
