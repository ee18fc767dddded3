#include <iostream>
#include <memory>
#include <string>

#include "apps/runahead/command.h"
#include "core/base/json.h"
#include "core/config/schema.h"

namespace runahead::apps {

Command add_schema_command(CLI::App& program) {
  const auto kind = std::make_shared<std::string>("experiment");
  CLI::App* parser = program.add_subcommand("schema", "Print the JSON Schema of configs");
  parser->add_option("kind", *kind, "experiment or sweep")
      ->check(CLI::IsMember({"experiment", "sweep"}))
      ->capture_default_str();
  return {parser, [kind] {
            const bool is_sweep = *kind == "sweep";
            std::cout << dump_json(is_sweep ? config::sweep_schema() : config::experiment_schema(),
                                   2)
                      << '\n';
            return ExitCode::kOk;
          }};
}

}  // namespace runahead::apps
