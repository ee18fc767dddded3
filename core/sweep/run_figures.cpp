#include "core/sweep/run_figures.h"

#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/config/experiment_config.h"
#include "core/sweep/shard.h"

namespace runahead::sweep {
namespace {

std::unordered_map<std::string_view, std::size_t> index_cells(const PlannedCells& cells) {
  std::unordered_map<std::string_view, std::size_t> cell_of_id;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) cell_of_id.emplace(cells.id(cell), cell);
  return cell_of_id;
}

/// The id that this version gives a record's config, for records whose own id matches no cell:
/// versions that hashed configs differently left such records.
std::string present_id(const record::Record& record) {
  try {
    return config::config_id(config::read_experiment(record.config, "record"));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

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

EarlierRuns read_earlier_runs(const Plan& plan, const std::filesystem::path& records_path,
                              const std::vector<std::filesystem::path>& shards,
                              const VisitRun& visit, Versions versions) {
  EarlierRuns earlier;
  earlier.runs.assign(plan.cells.size(), {});
  for (auto& repeats : earlier.runs) repeats.resize(static_cast<std::size_t>(plan.repeats));

  const auto cell_of_id = index_cells(plan.cells);
  const std::string version = own_version();
  std::map<std::pair<std::size_t, std::size_t>, std::string> other_versions;  // [cell, repeat]
  for_each_record_of(records_path, shards, [&](const record::Record& record, bool) {
    auto cell = cell_of_id.find(record.id);
    if (cell == cell_of_id.end()) cell = cell_of_id.find(present_id(record));
    if (cell == cell_of_id.end() || record.repeat < 0 || record.repeat >= plan.repeats) return;
    const auto repeat = static_cast<std::size_t>(record.repeat);
    std::string made_by = version_of(record.environment);
    if (versions == Versions::kOwn && made_by != version) {
      other_versions.insert_or_assign({cell->second, repeat}, std::move(made_by));
      return;
    }
    earlier.runs[cell->second][repeat] = figures_of(record);
    if (visit) visit({cell->second, record.repeat}, record);
  });
  for (const auto& [run, made_by] : other_versions) {
    if (earlier.runs[run.first][run.second]) continue;
    ++earlier.of_other_versions;
    earlier.other_version = made_by;
  }
  return earlier;
}

std::string version_of(const record::Environment& environment) {
  return environment.runahead + (environment.git ? " (" + *environment.git + ")" : "");
}

std::string own_version() { return version_of(record::collect_environment()); }

}  // namespace runahead::sweep
