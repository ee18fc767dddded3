#include "apps/program/cell_options.h"

#include "apps/program/program.h"

namespace runahead::apps {

namespace {

constexpr double kLeastProgressSeconds = 0.001;
constexpr double kMostProgressSeconds = 3600.0;

}  // namespace

Json CellOptions::read_axes() const { return axes.empty() ? Json::object() : read_json_file(axes); }

void add_cell_options(CLI::App& command, CellOptions& options) {
  command.add_option("--repeat", options.repeat, "Number of the repeat, for the record")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--axes", options.axes, "File with the cell's axes, for the record");
  command.add_option("--memory-limit", options.memory_limit_bytes,
                     "Bytes that the process may take: bounds the guard");
  command.add_option(
      "--progress-file", options.progress_file,
      "File to replace again and again by how far the run is, for the process that started it");
  command
      .add_option("--progress-seconds", options.progress_seconds, "How often that file is replaced")
      ->check(CLI::Range(kLeastProgressSeconds, kMostProgressSeconds))
      ->capture_default_str();
}

std::vector<std::string> RunOptions::arguments() const {
  std::vector<std::string> arguments{"run", config};
  for (const std::string& set : sets) arguments.insert(arguments.end(), {"--set", set});
  if (!out.empty()) arguments.insert(arguments.end(), {"--out", out});
  for (const std::string& condition : fail_if) {
    arguments.insert(arguments.end(), {"--fail-if", condition});
  }
  if (trace) arguments.emplace_back("--trace");
  if (json) arguments.emplace_back("--json");
  if (progress) arguments.emplace_back("--progress");
  return arguments;
}

void add_run_options(CLI::App& command, RunOptions& options) {
  add_set_option(command, options.sets);
  command.add_option("--out", options.out,
                     "Folder of the record (default: runs/<time>-<experiment>-<device>)");
  add_fail_if_option(command, options.fail_if);
  command.add_flag("--trace", options.trace,
                   "Also write trace.json, a timeline for ui.perfetto.dev");
  command.add_flag("--json", options.json, "Print the record as one JSON document");
  command.add_flag("--progress", options.progress,
                   "Show progress even if stderr is not a terminal");
}

ExitCode exit_code_of(record::Status status) noexcept {
  switch (status) {
    case record::Status::kOk:
      return ExitCode::kOk;
    case record::Status::kInterrupted:
      return ExitCode::kInterrupted;
    default:
      return ExitCode::kFailed;
  }
}

}  // namespace runahead::apps
