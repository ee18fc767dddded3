#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "apps/runahead/command.h"
#include "apps/runahead/config_document.h"
#include "apps/runahead/program_experiment.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/config/experiment_config.h"
#include "core/config/experiment_kinds.h"
#include "core/config/sweep_config.h"
#include "core/sweep/plan.h"

namespace runahead::apps {

namespace {

struct ValidateOptions {
  std::string config{};
  std::vector<std::string> sets{};
};

/// Warns on stderr if a config executes code.
void warn_of_code(const config::ExperimentConfig& config) {
  if (config::kind_of(config.experiment).has_model && config.model.kind == "torchscript") {
    log_warning(
        "this config loads a TorchScript file, which runs code with all your permissions: " +
        config.model.path);
  }
  if (!config::runs_command(config)) return;
  std::string words;
  for (const std::string& word : config.command.words) words += " " + word;
  log_warning("this config executes a program, with all your permissions:" + words);
}

Json resolve(const ValidateOptions& options) {
  const ConfigDocument document(options.config);
  if (!config::is_sweep(document.json())) {
    const config::ExperimentConfig config = document.experiment(options.sets);
    require_program_of(config, options.config);
    warn_of_code(config);
    return config::to_json(config);
  }
  const config::SweepConfig sweep = document.sweep(options.sets);
  const sweep::Plan plan = sweep::make_plan(sweep, options.config);
  sweep::require_all_run(plan, options.config);
  require_programs(plan, options.config);
  warn_of_code(plan.cells.front().config);
  return config::to_json(sweep);
}

}  // namespace

Command add_validate_command(CLI::App& program) {
  const auto options = std::make_shared<ValidateOptions>();
  CLI::App* parser =
      program.add_subcommand("validate", "Print the resolved config, or what is wrong with it");
  add_config_option(*parser, options->config, "Experiment or sweep config (JSON file; - is stdin)");
  add_set_option(*parser, options->sets,
                 "Change a config value, as in --set /batches=3 (repeatable; in a sweep config "
                 "/base/KEY changes KEY of the base)");
  const auto validate = [options] {
    std::cout << dump_json(resolve(*options), 2) << '\n';
    return ExitCode::kOk;
  };
  return {parser, validate, place_in_experiment, missing_config("validate train.json")};
}

}  // namespace runahead::apps
