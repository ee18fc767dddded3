#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/runahead/command.h"
#include "apps/runahead/config_document.h"
#include "apps/runahead/interruption.h"
#include "apps/runahead/program_experiment.h"
#include "apps/runahead/programs.h"
#include "core/config/experiment_kinds.h"
#include "core/record/condition.h"

namespace runahead::apps {

namespace {

struct RunOptions {
  std::string config{};
  std::vector<std::string> sets{};
  std::string out{};
  std::vector<std::string> fail_if{};
  bool trace = false;
  bool json = false;
  bool progress = false;
};

/// The command line of `runahead-cell`, which has the same options.
std::vector<std::string> cell_arguments(const RunOptions& options) {
  std::vector<std::string> arguments{"run", options.config};
  for (const std::string& set : options.sets) arguments.insert(arguments.end(), {"--set", set});
  if (!options.out.empty()) arguments.insert(arguments.end(), {"--out", options.out});
  for (const std::string& condition : options.fail_if) {
    arguments.insert(arguments.end(), {"--fail-if", condition});
  }
  if (options.trace) arguments.emplace_back("--trace");
  if (options.json) arguments.emplace_back("--json");
  if (options.progress) arguments.emplace_back("--progress");
  return arguments;
}

/// Reports an invalid config at once, without torch, and before anything is written.
ExitCode run(const RunOptions& options) {
  const ConfigDocument document(options.config);
  const config::ExperimentConfig config = document.experiment(options.sets);
  const std::vector<record::Condition> conditions = record::parse_conditions(options.fail_if);
  if (config::runs_command(config)) {
    return run_program_experiment(
        config, {.folder = options.out, .trace = options.trace, .json = options.json}, conditions);
  }
  const std::filesystem::path program = find_cell_program();
  RunOptions resolved = options;
  resolved.config = document.path_for_next_program();
  // That program loads LibTorch, so it takes a while until it can handle signals.
  keep_interruption_for_next_program();
  become(program, cell_arguments(resolved));
}

}  // namespace

Command add_run_command(CLI::App& program) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* parser = program.add_subcommand("run", "Run one experiment in this process");
  add_config_option(*parser, options->config, "Experiment config (JSON file; - is stdin)");
  add_set_option(*parser, options->sets);
  parser->add_option("--out", options->out,
                     "Folder of the record (default: runs/<time>-<experiment>-<device>)");
  add_fail_if_option(*parser, options->fail_if);
  parser->add_flag("--trace", options->trace,
                   "Also write trace.json, a timeline for ui.perfetto.dev");
  parser->add_flag("--json", options->json, "Print the record as one JSON document");
  parser->add_flag("--progress", options->progress,
                   "Show progress even if stderr is not a terminal");
  return {parser, [options] { return run(*options); }, place_in_experiment,
          missing_config("run train.json")};
}

}  // namespace runahead::apps
