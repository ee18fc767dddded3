#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/runahead/command.h"
#include "apps/runahead/programs.h"
#include "apps/runahead/unfinished_sweep.h"

namespace runahead::apps {

namespace {

struct ReportOptions {
  std::vector<std::string> folders{};
  std::string out{};
  bool table = false;
};

[[noreturn]] void report(const ReportOptions& options) {
  for (const std::string& folder : options.folders) {
    if (!std::filesystem::exists(folder)) {
      throw ConfigError("'" + folder +
                        "' is not there; give the --out of a run, of a sweep or of the monitor");
    }
    require_ended_runs(folder);
  }
  const std::filesystem::path script = project_folder() / "scripts" / "report.py";
  if (!std::filesystem::exists(script)) {
    throw UnavailableError("'" + script.string() +
                           "' is not there: set RUNAHEAD_HOME to the project's folder");
  }
  std::vector<std::string> arguments{script.string()};
  arguments.insert(arguments.end(), options.folders.begin(), options.folders.end());
  if (options.table) arguments.emplace_back("--table");
  if (!options.out.empty()) arguments.insert(arguments.end(), {"--out", options.out});
  become(find_python(), arguments);
}

}  // namespace

Command add_report_command(CLI::App& program) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* parser =
      program.add_subcommand("report", "Draw charts (PNG, SVG) and one HTML page from records");
  parser
      ->add_option("folder", options->folders,
                   "Folders of runs and sweeps, two sweeps are compared; or files of samples that "
                   "`monitor` wrote")
      ->required();
  parser->add_option("--out", options->out,
                     "Where to write (default: <first folder>/report; next to a file)");
  parser->add_flag("--table", options->table,
                   "Print a table of medians and spreads, of two sweeps the ratios, instead; write "
                   "it as CSV and Markdown");
  return {parser, [options]() -> ExitCode { report(*options); }};
}

}  // namespace runahead::apps
