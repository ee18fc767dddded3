#include <signal.h>

#include <memory>
#include <string>

#include "apps/program/cell_options.h"
#include "apps/runahead/command.h"
#include "apps/runahead/programs.h"
#include "core/base/interruption.h"
#include "core/command/program_run.h"
#include "core/config/experiment_config.h"

namespace runahead::apps {

namespace {

struct CommandCellOptions {
  std::string config{};
  std::string out{};
  CellOptions cell{};
};

/// Ends this process with the signal that ended the command from outside, so that the sweep starts
/// the cell again.
void end_as_the_command(int signal) {
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

/// The command's output becomes the cell's, which the sweep keeps.
ExitCode run_cell(const CommandCellOptions& options) {
  const config::ExperimentConfig config = config::load_experiment(options.config);
  const command::ProgramRunEnd end =
      command::run_program(config, {.folder = options.out,
                                    .home = project_folder().string(),
                                    .repeat = options.cell.repeat,
                                    .axes = options.cell.read_axes()});
  if (end.signal && is_from_outside(*end.signal)) end_as_the_command(*end.signal);
  return exit_code_of(end.record.status);
}

}  // namespace

Command add_cell_command(CLI::App& program) {
  const auto options = std::make_shared<CommandCellOptions>();
  CLI::App* parser = program.add_subcommand("cell", "Run a cell of a sweep that runs a command");
  parser->group("");  // Hidden.
  parser->add_option("config", options->config, "Experiment config (JSON)")->required();
  parser->add_option("--out", options->out, "Folder of the record")->required();
  add_cell_options(*parser, options->cell);
  return {parser, [options] { return run_cell(*options); }};
}

}  // namespace runahead::apps
