#include <iostream>
#include <memory>
#include <set>
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

constexpr std::size_t kMostWarnings = 10;

/// What to warn of if a config executes code: nothing, or one line.
std::string warning_of_code(const config::ExperimentConfig& config) {
  if (config::kind_of(config.experiment).has_model && config.model.kind == "torchscript") {
    return "this config loads a TorchScript file, which runs code with all your permissions: " +
           config.model.path;
  }
  if (!config::runs_command(config)) return {};
  std::string words;
  for (const std::string& word : config.command.words) words += " " + word;
  return "this config executes a program, with all your permissions:" + words;
}

/// Warns on stderr if a config executes code.
void warn_of_code(const config::ExperimentConfig& config) {
  if (const std::string warning = warning_of_code(config); !warning.empty()) log_warning(warning);
}

/// The same for every cell of a sweep, of each program or file once.
void warn_of_code(const sweep::Plan& plan) {
  std::set<std::string> warnings;
  for (std::size_t cell = 0; cell < plan.cells.size(); ++cell) {
    const std::string warning = warning_of_code(plan.cells[cell].config);
    if (warning.empty() || !warnings.insert(warning).second) continue;
    if (warnings.size() > kMostWarnings) {
      log_warning("later cells of this config execute more than that");
      return;
    }
    log_warning(warning);
  }
}

Json resolve(const ValidateOptions& options) {
  const ConfigDocument document(options.config);
  if (!config::is_sweep(document.json())) {
    const config::ExperimentConfig config = document.experiment(options.sets);
    require_program_of(config, document.source());
    warn_of_code(config);
    return config::to_json(config);
  }
  const config::SweepConfig sweep = document.sweep(options.sets);
  const sweep::Plan plan = sweep::make_plan(sweep, options.config);
  sweep::require_all_run(plan, options.config);
  require_programs(plan, options.config);
  warn_of_code(plan);
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
