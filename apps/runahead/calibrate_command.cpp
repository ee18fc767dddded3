#include <memory>
#include <string>
#include <vector>

#include "apps/runahead/command.h"
#include "apps/runahead/programs.h"

namespace runahead::apps {

Command add_calibrate_command(CLI::App& program) {
  struct Options {
    std::string threads = "1";
    bool json = false;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* parser = program.add_subcommand(
      "calibrate", "Measure which matrix products oneDNN makes faster on this machine");
  parser->add_option("--threads", options->threads, "Intra-op threads to measure with")
      ->capture_default_str();
  parser->add_flag("--json", options->json, "Print one JSON document");
  return {parser, [options]() -> ExitCode {
            std::vector<std::string> arguments{"calibrate", "--threads", options->threads};
            if (options->json) arguments.emplace_back("--json");
            become(find_cell_program(), arguments);
          }};
}

}  // namespace runahead::apps
