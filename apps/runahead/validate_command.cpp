#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "apps/runahead/command.h"
#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/config/sweep_config.h"

namespace runahead::apps {

namespace {

struct ValidateOptions {
  std::string config{};
  std::vector<std::string> sets{};
};

Json resolve(const ValidateOptions& options) {
  if (!config::is_sweep(read_json_file(options.config))) {
    return config::to_json(config::load_experiment(options.config, options.sets));
  }
  if (!options.sets.empty()) {
    throw ConfigError("--set: '" + options.config +
                      "' is a sweep config; --set is for experiment configs");
  }
  return config::to_json(config::load_sweep(options.config));
}

}  // namespace

Command add_validate_command(CLI::App& program) {
  const auto options = std::make_shared<ValidateOptions>();
  CLI::App* parser =
      program.add_subcommand("validate", "Print the resolved config, or what is wrong with it");
  parser->add_option("config", options->config, "Experiment or sweep config (JSON)")->required();
  parser
      ->add_option("--set", options->sets,
                   "Change a value: /json/pointer=value (repeatable; experiment configs)")
      ->take_all()
      ->allow_extra_args(false);
  return {parser, [options] {
            std::cout << dump_json(resolve(*options), 2) << '\n';
            return ExitCode::kOk;
          }};
}

}  // namespace runahead::apps
