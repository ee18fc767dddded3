#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "apps/runahead/command.h"
#include "apps/runahead/config_document.h"
#include "apps/runahead/frameworks_run.h"
#include "apps/runahead/frameworks_table.h"
#include "apps/runahead/interruption.h"
#include "apps/runahead/programs.h"
#include "apps/runahead/result_folder.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/config/experiment_kinds.h"
#include "core/record/record_file.h"

namespace runahead::apps {

namespace {

struct RunOptions {
  std::string config{};
  std::vector<std::string> sets{};
  std::string out{};
  bool trace = false;
  bool json = false;
  bool progress = false;
};

/// The command line of `runahead-cell`, which knows the same options.
std::vector<std::string> cell_arguments(const RunOptions& options) {
  std::vector<std::string> arguments{"run", options.config};
  for (const std::string& set : options.sets) arguments.insert(arguments.end(), {"--set", set});
  if (!options.out.empty()) arguments.insert(arguments.end(), {"--out", options.out});
  if (options.trace) arguments.emplace_back("--trace");
  if (options.json) arguments.emplace_back("--json");
  if (options.progress) arguments.emplace_back("--progress");
  return arguments;
}

ExitCode exit_code_of(record::Status status) {
  if (status == record::Status::kInterrupted) return ExitCode::kInterrupted;
  return status == record::Status::kOk ? ExitCode::kOk : ExitCode::kFailed;
}

/// Other frameworks run it, without LibTorch.
ExitCode run_foreign(const config::ExperimentConfig& config, const RunOptions& options) {
  if (options.trace) {
    throw ConfigError("--trace: found with '" + config.experiment +
                      "', which other frameworks run; allowed: with any other experiment");
  }
  const std::filesystem::path folder = fresh_result_folder(
      options.out, config.experiment + "-" + config.device, {"record.json", "peers"});
  log_info("each framework that is set up takes minutes, half an hour at most");
  const record::Record record = run_frameworks(config, folder / "peers");
  record::write_record(folder / "record.json", record);
  if (options.json) {
    std::cout << dump_json(record::to_json(record), 2) << '\n';
  } else {
    std::cout << frameworks_table(record) << "  record            "
              << (folder / "record.json").string() << '\n';
  }
  if (record.error) log_error(*record.error);
  return exit_code_of(record.status);
}

/// A wrong config is told at once, without torch, and before anything is written.
ExitCode run(const RunOptions& options) {
  const ConfigDocument document(options.config);
  const config::ExperimentConfig config = document.experiment(options.sets);
  if (config::kind_of(config.experiment).is_foreign) return run_foreign(config, options);
  const std::filesystem::path program = find_cell_program();
  RunOptions resolved = options;
  resolved.config = document.path_for_next_program();
  // It takes a while until that program, with LibTorch, can look at signals.
  keep_interruption_for_next_program();
  become(program, cell_arguments(resolved));
}

}  // namespace

Command add_run_command(CLI::App& program) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* parser = program.add_subcommand("run", "Run one experiment in this process");
  parser->add_option("config", options->config, "Experiment config (JSON)")->required();
  add_set_option(*parser, options->sets);
  parser->add_option("--out", options->out,
                     "Folder of the record (default: runs/<time>-<experiment>-<device>)");
  parser->add_flag("--trace", options->trace,
                   "Also write trace.json, a timeline for ui.perfetto.dev");
  parser->add_flag("--json", options->json, "Print the record as one JSON document");
  parser->add_flag("--progress", options->progress,
                   "Show progress where stderr is no terminal too");
  return {parser, [options] { return run(*options); }};
}

}  // namespace runahead::apps
