#include "core/sweep/plan.h"

#include "core/config/experiment_config.h"

namespace runahead::sweep {

namespace {
constexpr std::size_t kFolderIdDigits = 12;
}  // namespace

Plan make_plan(const config::SweepConfig& sweep, const std::string& source) {
  Plan plan;
  plan.repeats = sweep.repeats;
  const std::size_t count = config::combination_count(sweep);
  for (std::size_t index = 0; index < count; ++index) {
    Cell cell;
    cell.axes = config::axes_values(sweep, index);
    cell.config = config::resolve_cell(sweep.base, cell.axes, source);
    cell.id = config::config_id(cell.config);
    plan.cells.push_back(std::move(cell));
  }
  for (std::int64_t repeat = 0; repeat < plan.repeats; ++repeat) {
    for (std::size_t index = 0; index < plan.cells.size(); ++index) {
      plan.jobs.push_back({index, repeat});
    }
  }
  return plan;
}

std::string folder_name(const Cell& cell, std::int64_t repeat) {
  return cell.id.substr(0, kFolderIdDigits) + "-" + std::to_string(repeat);
}

}  // namespace runahead::sweep
