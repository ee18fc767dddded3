#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/runahead/command.h"
#include "apps/runahead/programs.h"
#include "apps/runahead/unfinished_sweep.h"
#include "core/base/log.h"

namespace runahead::apps {

namespace {

constexpr const char* kFormats = "csv, parquet, tensorboard, mlflow";  // FORMATS of the script.

struct ExportOptions {
  std::vector<std::string> folders{};
  std::string format{};
  std::string out{};
  bool replaces = false;
};

void require_results(const std::string& folder) {
  constexpr const char* kAdvice = "; give the folder of a run or of a sweep";
  if (!std::filesystem::exists(folder)) throw ConfigError(folder + ": no such folder" + kAdvice);
  if (!std::filesystem::is_directory(folder)) {
    throw ConfigError("'" + folder + "' is a file" + kAdvice);
  }
  require_utf8_name(folder);
  if (const auto warning = warning_of_missing_runs(folder)) log_warning(*warning);
}

[[noreturn]] void export_runs(const ExportOptions& options) {
  for (const std::string& folder : options.folders) require_results(folder);
  const std::filesystem::path script = project_folder() / "scripts" / "export.py";
  std::vector<std::string> arguments{script.string(), "--to", options.format};
  if (!options.out.empty()) arguments.push_back("--out=" + options.out);
  if (options.replaces) arguments.emplace_back("--force");
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), options.folders.begin(), options.folders.end());
  become(find_python("pandas"), arguments);
}

}  // namespace

Command add_export_command(CLI::App& program) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* parser = program.add_subcommand(
      "export", "Write runs and their samples for other tools: CSV, Parquet, TensorBoard, MLflow");
  parser->add_option("folder", options->folders, "Folders of runs or sweeps")->required();
  parser->add_option("--to", options->format, std::string("Format: ") + kFormats)->required();
  parser->add_option("--out", options->out,
                     "Folder to write to (default: <first folder>/export; with mlflow the store "
                     "in MLFLOW_TRACKING_URI, if that is set)");
  parser->add_flag("--force", options->replaces, "Replace what an earlier export wrote");
  return {.parser = parser,
          .execute = [options]() -> ExitCode { export_runs(*options); },
          .missing = {
              {"folder",
               "no folder given; give the folder of a run or of a sweep, as in `runahead export "
               "runs/quickstart --to csv`"},
              {"--to", std::string("--to is missing; allowed: ") + kFormats}}};
}

}  // namespace runahead::apps
