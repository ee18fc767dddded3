#include <memory>
#include <string>
#include <vector>

#include "apps/runahead/command.h"
#include "apps/runahead/programs.h"

namespace runahead::apps {

Command add_devices_command(CLI::App& program) {
  const auto json = std::make_shared<bool>(false);
  CLI::App* parser = program.add_subcommand("devices", "List the devices of this machine");
  parser->add_flag("--json", *json, "Print one JSON document");
  return {parser, [json]() -> ExitCode {
            std::vector<std::string> arguments{"devices"};
            if (*json) arguments.emplace_back("--json");
            become_cell(arguments);
          }};
}

}  // namespace runahead::apps
