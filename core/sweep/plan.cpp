#include "core/sweep/plan.h"

#include <map>

#include "core/base/error.h"
#include "core/config/runnable.h"

namespace runahead::sweep {

namespace {
constexpr std::size_t kFolderIdDigits = 12;

[[noreturn]] void refuse_twins(const Cell& first, const Cell& second, const std::string& source) {
  throw ConfigError(source + ": /axes: the cells " + dump_json(first.axes) + " and " +
                    dump_json(second.axes) +
                    " are the same experiment; allowed: cells that differ; to run one several "
                    "times use \"repeats\"");
}

}  // namespace

Plan make_plan(const config::SweepConfig& sweep, const std::string& source) {
  Plan plan;
  plan.repeats = sweep.repeats;
  std::map<std::string, std::size_t> index_of_id;
  const std::size_t count = config::combination_count(sweep);
  for (std::size_t index = 0; index < count; ++index) {
    Cell cell;
    cell.axes = config::axes_values(sweep, index);
    cell.config = config::resolve_cell(sweep.base, cell.axes, source);
    config::require_runnable(cell.config, source + ", cell " + dump_json(cell.axes));
    cell.id = config::config_id(cell.config);
    const auto [same, is_new] = index_of_id.emplace(cell.id, index);
    if (!is_new) refuse_twins(plan.cells[same->second], cell, source);
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
