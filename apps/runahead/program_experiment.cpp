#include "apps/runahead/program_experiment.h"

#include <cstdio>
#include <iostream>
#include <set>

#include "apps/program/cell_options.h"
#include "apps/program/program.h"
#include "apps/runahead/programs.h"
#include "core/base/log.h"
#include "core/base/result_folder.h"
#include "core/command/command_process.h"
#include "core/command/program_run.h"
#include "core/config/experiment_kinds.h"
#include "core/record/figures.h"
#include "core/report/table.h"

namespace runahead::apps {

namespace fs = std::filesystem;

namespace {

/// A table of the figures that were measured.
std::string run_text(const record::Record& record, const fs::path& folder) {
  report::Table table{.headings = {"program", std::string(name_of(record.status))},
                      .text_columns = 2};
  const std::vector<std::optional<double>> values = record::values_of(record, record::figures());
  for (std::size_t index = 0; index < values.size(); ++index) {
    const record::Figure& figure = record::figures()[index];
    const bool is_shown = figure.places != record::kNowhere && values[index];
    if (is_shown) table.add_row({figure.label, record::text_of(figure.unit, values[index])});
  }
  table.add_row({"record", (folder / "record.json").string()});
  return to_text(table);
}

}  // namespace

ExitCode run_program_experiment(const config::ExperimentConfig& config,
                                const ProgramExperimentOptions& options,
                                const std::vector<record::Condition>& conditions) {
  const command::ProgramRunEnd end =
      command::run_program(config, {.folder = options.folder,
                                    .home = project_folder().string(),
                                    .trace = options.trace,
                                    .out = stderr});
  const record::Record& record = end.record;
  if (options.json) {
    std::cout << dump_json(record::to_json(record), 2) << std::endl;
  } else {
    std::cout << run_text(record, end.folder) << std::flush;
  }
  if (record.error) log_error(*record.error);
  return with_bounds(exit_code_of(record.status), record::failures_of(conditions, record));
}

void require_program_of(const config::ExperimentConfig& config, const std::string& source) {
  if (!config::runs_command(config)) return;
  try {
    command::require_program(config::fill_in(config.command, project_folder().string()));
  } catch (const UnavailableError& error) {
    throw UnavailableError(source + ": /command/0: " + error.what());
  }
}

void require_programs(const sweep::Plan& plan, const std::string& source) {
  if (!plan.runs_commands) return;  // Resolving every cell takes time.
  std::set<std::size_t> skipped(plan.skipped.begin(), plan.skipped.end());
  for (std::size_t index = 0; index < plan.cells.size(); ++index) {
    if (skipped.contains(index)) continue;
    const sweep::Cell cell = plan.cells[index];
    require_program_of(cell.config, config::cell_name(source, cell.axes));
  }
}

}  // namespace runahead::apps
