#include <iostream>

#include "apps/runahead/command.h"
#include "apps/runahead/text_table.h"
#include "core/config/experiment_config.h"

namespace runahead::apps {

Command add_experiments_command(CLI::App& program) {
  CLI::App* parser = program.add_subcommand("experiments", "List the kinds of experiments");
  return {parser, [] {
            TextTable table({{"experiment", TextTable::Align::kLeft},
                             {"what it measures", TextTable::Align::kLeft}});
            for (const config::ExperimentKind& kind : config::experiment_kinds()) {
              table.add_row({kind.name, kind.doc});
            }
            std::cout << table.to_string();
            return ExitCode::kOk;
          }};
}

}  // namespace runahead::apps
