#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "apps/runahead/command.h"
#include "apps/runahead/config_document.h"
#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/config/sweep_config.h"
#include "core/sweep/plan.h"

namespace runahead::apps {

namespace {

namespace fs = std::filesystem;

struct ValidateOptions {
  std::string config{};
  std::vector<std::string> sets{};
};

Json resolve(const ValidateOptions& options) {
  const ConfigDocument document(options.config);
  if (!config::is_sweep(document.json())) return config::to_json(document.experiment(options.sets));
  if (!options.sets.empty()) {
    throw ConfigError("--set: '" + options.config +
                      "' is a sweep config; --set is for experiment configs");
  }
  const fs::path folder = fs::path(options.config).parent_path();
  const config::SweepConfig sweep = config::read_sweep(document.json(), options.config, folder);
  sweep::require_all_run(sweep::make_plan(sweep, options.config), options.config);
  return config::to_json(sweep);
}

}  // namespace

Command add_validate_command(CLI::App& program) {
  const auto options = std::make_shared<ValidateOptions>();
  CLI::App* parser =
      program.add_subcommand("validate", "Print the resolved config, or what is wrong with it");
  add_config_option(*parser, options->config, "Experiment or sweep config (JSON)");
  add_set_option(*parser, options->sets, "experiment configs");
  return {parser, [options] {
            std::cout << dump_json(resolve(*options), 2) << '\n';
            return ExitCode::kOk;
          }};
}

}  // namespace runahead::apps
