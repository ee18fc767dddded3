#include <filesystem>
#include <memory>
#include <vector>

#include "apps/program/cell_options.h"
#include "apps/runahead/command.h"
#include "apps/runahead/config_document.h"
#include "apps/runahead/interruption.h"
#include "apps/runahead/program_experiment.h"
#include "apps/runahead/programs.h"
#include "core/config/experiment_kinds.h"
#include "core/record/condition.h"

namespace runahead::apps {

namespace {

/// Reports an invalid config at once, without torch, and before anything is written.
ExitCode run(const RunOptions& options) {
  const ConfigDocument document(options.config);
  const config::ExperimentConfig config = document.experiment(options.sets);
  const std::vector<record::Condition> conditions = record::parse_conditions(options.fail_if);
  if (config::runs_command(config)) {
    require_program_of(config, document.source());
    return run_program_experiment(
        config, {.folder = options.out, .trace = options.trace, .json = options.json}, conditions);
  }
  static_cast<void>(find_cell_program());  // Before stdin is read to a file.
  RunOptions resolved = options;
  resolved.config = document.path_for_next_program();
  // That program loads LibTorch, so it takes a while until it can handle signals.
  keep_interruption_for_next_program();
  become_cell(resolved.arguments());
}

}  // namespace

Command add_run_command(CLI::App& program) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* parser = program.add_subcommand("run", "Run one experiment in this process");
  add_config_option(*parser, options->config, "Experiment config (JSON file; - is stdin)");
  add_run_options(*parser, *options);
  return {parser, [options] { return run(*options); }, place_in_experiment,
          missing_config("run train.json")};
}

}  // namespace runahead::apps
