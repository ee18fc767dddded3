#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "apps/runahead/command.h"
#include "apps/runahead/program_experiment.h"
#include "apps/runahead/programs.h"
#include "core/base/interruption.h"
#include "core/base/json.h"
#include "core/command/program_run.h"
#include "core/config/experiment_config.h"

namespace runahead::apps {

namespace {

struct CellOptions {
  std::string config{};
  std::string out{};
  std::int64_t repeat = 0;
  std::string axes{};
  std::optional<std::uint64_t> memory_limit_bytes{};
  std::string progress_file{};
  double progress_seconds = 0.5;
};

/// What something outside killed is to look so to the sweep, which starts it once more.
void end_as_the_command(const std::optional<int>& signal) {
  const bool is_from_outside =
      signal &&
      (*signal == SIGKILL || std::ranges::find(kInterruptions, *signal) != kInterruptions.end());
  if (!is_from_outside) return;
  ::signal(*signal, SIG_DFL);
  ::raise(*signal);
}

/// The command's output is the cell's, and the sweep keeps it.
ExitCode run_cell(const CellOptions& options) {
  const config::ExperimentConfig config = config::load_experiment(options.config);
  const command::ProgramRunEnd end = command::run_program(
      config, {.folder = options.out,
               .home = project_folder().string(),
               .repeat = options.repeat,
               .axes = options.axes.empty() ? Json::object() : read_json_file(options.axes)});
  end_as_the_command(end.signal);
  return exit_code_of(end.record.status);
}

}  // namespace

Command add_cell_command(CLI::App& program) {
  const auto options = std::make_shared<CellOptions>();
  CLI::App* parser = program.add_subcommand("cell", "Run a cell of a sweep that runs a command");
  parser->group("");  // Hidden.
  parser->add_option("config", options->config, "Experiment config (JSON)")->required();
  parser->add_option("--out", options->out, "Folder of the record")->required();
  parser->add_option("--repeat", options->repeat, "Which repeat it is");
  parser->add_option("--axes", options->axes, "The cell's axes (JSON)");
  parser->add_option("--memory-limit", options->memory_limit_bytes, "Not needed");
  parser->add_option("--progress-file", options->progress_file, "Not needed");
  parser->add_option("--progress-seconds", options->progress_seconds, "Not needed");
  return {parser, [options] { return run_cell(*options); }};
}

}  // namespace runahead::apps
