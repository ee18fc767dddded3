#include "core/sweep/run_figures.h"

namespace runahead::sweep {

const std::vector<record::Figure>& sweep_figures() {
  static const std::vector<record::Figure> figures = record::figures_in(record::kSweep);
  return figures;
}

RunFigures figures_of(const record::Record& record) {
  return {.status = record.status,
          .values = record::values_of(record, sweep_figures()),
          .wall_seconds =
              record.cell.wall_seconds ? record.cell.wall_seconds : record.time.total_seconds,
          .shared_cpus = record.environment.cpus_shared.value_or(false)};
}

}  // namespace runahead::sweep
