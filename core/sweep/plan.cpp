#include "core/sweep/plan.h"

#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/json_reader.h"
#include "core/base/text.h"
#include "core/config/experiment_checks.h"
#include "core/config/experiment_kinds.h"
#include "core/config/sha256.h"
#include "core/config/sweep_config.h"

namespace runahead::sweep {

namespace {
constexpr std::size_t kShortIdDigits = 12;
/// A cell's error message may be as long as its config.
constexpr std::size_t kLongestReasonBytes = 1000;

/// The id of a cell, or why it cannot run.
struct CellCheck {
  std::string id{};
  std::string reason{};                ///< Empty if it can run.
  std::string checkpoint{};            ///< Absolute path; empty if it has none.
  std::optional<bool> runs_command{};  ///< nullopt if it cannot run.
};

/// The text of an error on one line, without the name of the cell.
std::string reason_of(const ConfigError& error, const std::string& cell_name) {
  const std::string prefix = cell_name + ": ";
  std::istringstream lines(error.what());
  std::string reason;
  for (std::string line; std::getline(lines, line);) {
    if (!reason.empty()) reason += "; ";
    reason += line.starts_with(prefix) ? line.substr(prefix.size()) : line;
  }
  return shortened(reason, kLongestReasonBytes);
}

std::string checkpoint_of(const config::ExperimentConfig& config) {
  if (!config.checkpoint.is_on) return {};
  return std::filesystem::absolute(config.checkpoint.path).lexically_normal().string();
}

CellCheck check_of(const config::SweepConfig& sweep, const Json& axes, const std::string& source) {
  const Json& base = sweep.base;
  const std::string name = config::cell_name(source, axes);
  try {
    const config::ExperimentConfig config = config::resolve_cell(base, axes, source);
    config::require_runnable(config, name);
    return {.id = config::config_id(config),
            .checkpoint = checkpoint_of(config),
            .runs_command = config::runs_command(config)};
  } catch (const ConfigError& error) {
    // Not in the order in which the keys are written, which a sweep that goes on may change.
    const nlohmann::json ordered = Json{{"base", base}, {"axes", axes}};
    return {.id = sha256_hex(dump_json(Json(ordered))), .reason = reason_of(error, name)};
  }
}

[[noreturn]] void refuse_twins(const Json& first, const Json& second, const std::string& source) {
  throw ConfigError(source + ": /axes: the cells " + dump_json(first) + " and " +
                    dump_json(second) +
                    " are the same experiment; allowed: cells that differ; to run one several "
                    "times use \"repeats\"");
}

/// Refuses checkpoints that runs share, from which a later run would resume instead of running.
class CheckpointFiles {
 public:
  CheckpointFiles(const Plan& plan, const std::string& source) : plan_(plan), source_(source) {}

  void add(const std::string& path, std::size_t cell) {
    if (path.empty()) return;
    if (plan_.repeats > 1) {
      refuse("/repeats: found " + std::to_string(plan_.repeats) + " with the checkpoint " + path +
             ", from which the second repeat would resume; allowed with a checkpoint: 1; set it to "
             "1, or /base/checkpoint to \"off\"");
    }
    const auto [same, is_new] = cell_of_path_.emplace(path, cell);
    if (is_new) return;
    refuse("/checkpoint/path: the cells " + dump_json(plan_.cells.axes(same->second)) + " and " +
           dump_json(plan_.cells.axes(cell)) + " share the checkpoint " + path +
           ", from which the later one would resume; allowed: a path for each cell; give them "
           "/checkpoint/path with \"zip\" or \"cells\", or set /base/checkpoint to \"off\"");
  }

 private:
  [[noreturn]] void refuse(const std::string& problem) const {
    throw ConfigError(source_ + ": " + problem);
  }

  const Plan& plan_;
  const std::string& source_;
  std::unordered_map<std::string, std::size_t> cell_of_path_{};
};

/// Adds the cells that `exclude` leaves to the plan, noting those that cannot run.
void add_cells(const config::SweepConfig& sweep, const std::string& source, Plan& plan) {
  std::unordered_map<std::string, std::size_t> cell_of_id;
  CheckpointFiles checkpoints(plan, source);
  const std::size_t count = config::combination_count(sweep);
  for (std::size_t combination = 0; combination < count; ++combination) {
    if (config::is_excluded(sweep, combination)) continue;
    const Json axes = config::axes_values(sweep, combination);
    CellCheck check = check_of(sweep, axes, source);
    const std::size_t cell = plan.cells.size();
    const auto [same, is_new] = cell_of_id.emplace(check.id, cell);
    if (!is_new) refuse_twins(plan.cells.axes(same->second), axes, source);
    plan.cells.add(combination, std::move(check.id));
    checkpoints.add(check.checkpoint, cell);
    if (!check.reason.empty()) plan.skipped.push_back(cell);
    if (check.runs_command) {
      (*check.runs_command ? plan.runs_commands : plan.needs_cell_program) = true;
    }
  }
}

/// Uniform in [0, bound). The same with every standard library, unlike their own distributions.
std::uint64_t draw_below(std::mt19937_64& random, std::uint64_t bound) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t drawn = random();
  while (drawn >= kLargest - kLargest % bound) drawn = random();
  return drawn % bound;
}

/// Fisher-Yates shuffle.
void shuffle(std::vector<std::size_t>& cells, std::mt19937_64& random) {
  for (std::size_t left = cells.size(); left > 1; --left) {
    std::swap(cells[left - 1], cells[draw_below(random, left)]);
  }
}

void add_jobs(const config::SweepConfig& sweep, Plan& plan) {
  std::vector<std::size_t> cells;
  auto skipped = plan.skipped.begin();
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    if (skipped != plan.skipped.end() && *skipped == cell) {
      ++skipped;
    } else {
      cells.push_back(cell);
    }
  }
  std::mt19937_64 random(sweep.order_seed);
  for (std::int64_t repeat = 0; repeat < plan.repeats; ++repeat) {
    if (sweep.order == config::RunOrder::kRandom) shuffle(cells, random);
    for (const std::size_t cell : cells) plan.jobs.push_back({cell, repeat});
  }
}

}  // namespace

Cell cell_of(config::ExperimentConfig config) {
  std::string id = config::config_id(config);
  return {.id = std::move(id), .config = std::move(config)};
}

Cell PlannedCells::operator[](std::size_t index) const {
  Cell cell{.id = id(index), .axes = axes(index)};
  cell.config = config::resolve_cell(sweep_.base, cell.axes, "cell");
  return cell;
}

Json PlannedCells::axes(std::size_t index) const {
  return config::axes_values(sweep_, entries_.at(index).combination);
}

Json PlannedCells::document(std::size_t index) const {
  try {
    return config::cell_document(sweep_.base, axes(index));
  } catch (const ConfigError&) {  // A value of the axes has no place in the base.
    return sweep_.base;
  }
}

std::string PlannedCells::reason(std::size_t index) const {
  return check_of(sweep_, axes(index), "cell").reason;
}

void PlannedCells::add(std::size_t combination, std::string id) {
  entries_.push_back({combination, std::move(id)});
}

Plan make_plan(const config::SweepConfig& sweep, const std::string& source) {
  Plan plan{.cells = PlannedCells(sweep), .repeats = sweep.repeats};
  add_cells(sweep, source, plan);
  if (plan.cells.size() == 0) {
    throw ConfigError(source + ": /exclude: leaves out every cell; allowed: that one is left");
  }
  if (plan.skipped.size() == plan.cells.size()) require_all_run(plan, source);
  add_jobs(sweep, plan);
  return plan;
}

void require_all_run(const Plan& plan, const std::string& source) {
  JsonProblems problems(source);
  std::map<std::string, std::vector<std::size_t>> cells_of_reason;
  for (const std::size_t cell : plan.skipped) {
    cells_of_reason[plan.cells.reason(cell)].push_back(cell);
  }
  for (const auto& [reason, cells] : cells_of_reason) {
    const std::string name = config::cell_name("", plan.cells.axes(cells.front()));
    const std::string more =
        cells.size() == 1 ? "" : " and " + std::to_string(cells.size() - 1) + " more";
    problems.add(name.empty() ? "" : name.substr(2) + more, reason);
  }
  problems.throw_if_any();
}

std::string short_id(const std::string& id) { return id.substr(0, kShortIdDigits); }

std::string folder_name(const Cell& cell, std::int64_t repeat) {
  return short_id(cell.id) + "-" + std::to_string(repeat);
}

}  // namespace runahead::sweep
