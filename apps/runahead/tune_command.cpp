#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "apps/runahead/command.h"
#include "apps/runahead/config_document.h"
#include "apps/runahead/programs.h"
#include "apps/runahead/tune_report.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/result_folder.h"
#include "core/base/scratch_folder.h"
#include "core/config/experiment_kinds.h"
#include "core/record/record_file.h"
#include "core/sweep/process_cell_runner.h"
#include "core/sweep/tuner.h"

namespace runahead::apps {

namespace {

namespace fs = std::filesystem;

struct TuneOptions {
  std::string config{};
  std::vector<std::string> sets{};
  double target = 0.99;
  std::string target_text{};  ///< As given on the command line.
  std::string out{};
  bool json = false;
  bool progress = false;
};

config::ExperimentConfig read_config(const TuneOptions& options) {
  const ConfigDocument document(options.config);
  if (config::is_sweep(document.json())) {
    throw ConfigError(options.config + ": found a sweep config; allowed: an experiment config; " +
                      "save its \"base\" as a separate file and tune that file");
  }
  config::ExperimentConfig config = document.experiment(options.sets);
  if (config::runs_command(config)) return config;
  if (config.experiment != "train") {
    throw ConfigError(options.config + ": /experiment: found \"" + config.experiment +
                      "\", which has no run-ahead to choose; allowed: \"train\", \"program\"");
  }
  if (config.device == "cpu") {
    throw ConfigError(
        options.config + ": /device: found \"cpu\", which executes at once and has " +
        "no queue to bound; allowed: acpu, cuda, cuda:N; to tune this config on acpu, " +
        "add --set /device=acpu");
  }
  if (config.batches < 2) {
    throw ConfigError(options.config +
                      ": /batches: found 1; allowed: 2 or more, because a single batch leaves " +
                      "nothing to run ahead; choose a value with which a run takes 2 to 5 seconds");
  }
  return config;
}

void check(const TuneOptions& options) {
  if (!(options.target >= 0.5 && options.target < 1.0)) {
    throw ConfigError(
        "--target: found " + options.target_text +
        "; allowed: a share of the unbounded throughput, at least 0.5 and less than 1");
  }
}

/// One tuning from its config to its exit code.
class Tuning {
 public:
  explicit Tuning(const TuneOptions& options)
      : options_(options),
        config_(read_config(options)),
        folder_(options.out, "tune-" + fs::path(options.config).stem().string()),
        path_(fs::absolute(folder_.path())) {
    tune_options_.target = options.target;
    tune_options_.on_record = [this](const record::Record& record) {
      folder_.require_in_place();
      record::append_jsonl(path_ / "records.jsonl", record);
    };
    if (!options.progress && ::isatty(STDERR_FILENO) != 1) return;
    tune_options_.on_candidate = [](const sweep::TuneCandidate& candidate) {
      log_info("tune: " + progress_text(candidate));
    };
  }

  ExitCode execute() {
    const ExitCode code = measure();
    write_file_atomically(path_ / "tune.json", dump_json(tune_json(report()), 2) + "\n");
    if (options_.json) {
      std::cout << dump_json(tune_json(report()), 2) << std::endl;
    } else {
      std::cout << tune_text(report()) << std::flush;
    }
    std::cerr << "results: " << (path_ / "tune.json").string() << '\n';
    if (code == ExitCode::kInterrupted) return code;
    for (const std::string& path : draw_report(path_, path_)) {
      std::cerr << "chart: " << path << '\n';
    }
    return code;
  }

 private:
  [[nodiscard]] TuneReport report() const {
    return {.config = config_, .target = options_.target, .result = result_, .status = status_};
  }

  /// Throws an error that occurs before anything could be compared. Reports later errors and keeps
  /// what was measured.
  ExitCode measure() {
    const ScratchFolder scratch;
    const auto runner = sweep::make_process_cell_runner(
        {.program = config::runs_command(config_) ? fs::path() : find_cell_program(),
         .command_program = own_program(),
         .cells_folder = scratch.path()});
    sweep::Tuner tuner(config_, *runner, tune_options_);
    ExitCode code = ExitCode::kOk;
    try {
      tuner.run();
    } catch (const Error& error) {
      if (tuner.result().candidates.empty()) throw;
      code = error.exit_code();
      status_ = code == ExitCode::kInterrupted ? "interrupted" : "failed";
      log_error(error.what());
    }
    result_ = tuner.result();
    return code;
  }

  const TuneOptions& options_;
  config::ExperimentConfig config_;
  const ResultFolder folder_;
  const fs::path path_;  ///< Absolute.
  sweep::TuneOptions tune_options_{};
  sweep::TuneResult result_{};
  std::string status_ = "ok";
};

ExitCode tune(const TuneOptions& options) {
  check(options);
  return Tuning(options).execute();
}

}  // namespace

Command add_tune_command(CLI::App& program) {
  const auto options = std::make_shared<TuneOptions>();
  CLI::App* parser = program.add_subcommand(
      "tune", "Find the smallest run-ahead that keeps the throughput of unbounded run-ahead");
  add_config_option(*parser, options->config, "Experiment config (JSON file; - is stdin)");
  add_set_option(*parser, options->sets);
  parser->add_option("--target", options->target, "Share of the unbounded throughput to keep")
      ->capture_default_str()
      ->each([options](const std::string& text) { options->target_text = text; });
  parser->add_option("--out", options->out,
                     "Folder of the results (default: runs/<time>-tune-<config>)");
  parser->add_flag("--json", options->json, "Print one JSON document instead of the table");
  parser->add_flag("--progress", options->progress,
                   "Show progress even if stderr is not a terminal");
  parser->footer(
      "tune starts 50 to 150 runs (at most 400), each in its own process. It replaces the sync\n"
      "policy and the limit of the config. Set /batches so that a run takes 2 to 5 seconds. For\n"
      "an experiment of kind `program`, it sets a limit in bytes through RUNAHEAD_LIMIT in the\n"
      "program's environment.\n");
  return {parser, [options] { return tune(*options); }, place_in_experiment,
          missing_config("tune train.json")};
}

}  // namespace runahead::apps
