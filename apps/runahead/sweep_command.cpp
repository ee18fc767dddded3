#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "apps/runahead/command.h"
#include "apps/runahead/programs.h"
#include "apps/runahead/result_folder.h"
#include "apps/runahead/sweep_dry_run.h"
#include "apps/runahead/sweep_table.h"
#include "core/base/log.h"
#include "core/config/sweep_config.h"
#include "core/sweep/estimate.h"
#include "core/sweep/process_cell_runner.h"
#include "core/sweep/record_store.h"
#include "core/sweep/summary.h"
#include "core/sweep/sweep.h"

namespace runahead::apps {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxJobs = 1024;

struct SweepOptions {
  std::string config{};
  std::string out{};
  std::optional<int> jobs{};  ///< nullopt: what the config says.
  std::string launcher = "local";
  bool extend = false;
  bool dry_run = false;
  bool json = false;
  bool progress = false;
};

void check(const SweepOptions& options) {
  if (options.launcher != "local") {
    throw ConfigError("--launcher: '" + options.launcher +
                      "' is not known; this version has: local (child processes)");
  }
  if (options.jobs && (*options.jobs < 1 || *options.jobs > kMaxJobs)) {
    throw ConfigError("--jobs: found " + std::to_string(*options.jobs) + "; allowed: 1 to " +
                      std::to_string(kMaxJobs));
  }
}

/// Tells at once which cells will not run: their records say no more.
void tell_skipped(const sweep::Plan& plan) {
  if (plan.skipped.empty()) return;
  const sweep::SkippedCell& first = plan.skipped.front();
  log_warning(std::to_string(plan.skipped.size()) + " of " + std::to_string(plan.cells.size()) +
              " cells cannot run and are skipped; the first: " +
              describe_axes(plan.cells.axes(first.cell)) + ": " + first.reason);
}

/// One line a run, as it ends.
void tell(const sweep::SweepProgress& progress) {
  const record::Record& record = progress.result.record;
  std::string line = "[" + std::to_string(progress.done) + "/" + std::to_string(progress.total) +
                     "] " + std::string(name_of(record.status));
  if (!record.axes.empty()) line += "  " + describe_axes(record.axes);
  line += "  repeat " + std::to_string(record.repeat);
  if (record.time.total_seconds) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "  %.2f s", *record.time.total_seconds);
    line += seconds;
  }
  if (record.error) line += ": " + *record.error;
  std::cerr << line << std::endl;
}

Json to_json(const fs::path& folder, const sweep::SweepResult& result,
             const std::vector<sweep::CellSummary>& summaries, const sweep::Plan& plan) {
  Json cells = Json::array();
  for (std::size_t index = 0; index < summaries.size(); ++index) {
    const sweep::CellSummary& cell = summaries[index];
    cells.push_back({{"id", plan.cells.id(index)},
                     {"axes", cell.axes},
                     {"status", cell.status},
                     {"issue_seconds", runahead::to_json(cell.issue_seconds)},
                     {"total_seconds", runahead::to_json(cell.total_seconds)},
                     {"rss_growth_bytes", runahead::to_json(cell.rss_growth_bytes)},
                     {"batches_peak", runahead::to_json(cell.batches_peak)},
                     {"held_peak_bytes", runahead::to_json(cell.held_peak_bytes)},
                     {"loss_last", runahead::to_json(cell.loss_last)}});
  }
  return {{"folder", folder.string()},
          {"records", (folder / "records.jsonl").string()},
          {"interrupted", result.interrupted},
          {"all_ok", result.all_ok()},
          {"cells", cells}};
}

ExitCode exit_code_of(const sweep::SweepResult& result) {
  if (result.interrupted) return ExitCode::kInterrupted;
  return result.all_ok() ? ExitCode::kOk : ExitCode::kCellsFailed;
}

ExitCode run_sweep_command(const SweepOptions& options) {
  check(options);
  const config::SweepConfig config = config::load_sweep(options.config);
  const sweep::Plan plan = sweep::make_plan(config, options.config);
  const int jobs = options.jobs.value_or(config.jobs);
  if (options.dry_run) {
    print_dry_run(plan, sweep::estimate(config, plan.jobs.size(), jobs, std::nullopt),
                  options.json);
    return ExitCode::kOk;
  }
  tell_skipped(plan);

  const fs::path program = find_cell_program();
  const fs::path folder = fs::absolute(
      options.out.empty() ? default_result_folder(fs::path(options.config).stem().string())
                          : fs::path(options.out));
  sweep::RecordStore store(
      folder, config,
      options.extend ? sweep::EarlierRecords::kExtend : sweep::EarlierRecords::kResume);
  sweep::ProcessCellRunner runner({.program = program,
                                   .cells_folder = store.cells_folder(),
                                   .timeout_seconds = config.timeout_seconds,
                                   .memory_limit_bytes = config.memory_limit_bytes});
  const bool show_progress = options.progress || ::isatty(STDERR_FILENO) == 1;
  const auto on_end = [show_progress](const sweep::SweepProgress& progress) {
    // What went wrong is no progress: it is told in any case.
    if (show_progress || progress.result.record.status != record::Status::kOk) tell(progress);
  };
  const sweep::SweepResult result = sweep::run_sweep(plan, store, runner, jobs, on_end);

  const auto summaries = sweep::summarise(plan, result);
  if (options.json) {
    std::cout << dump_json(to_json(folder, result, summaries, plan), 2) << '\n';
  } else {
    std::cout << sweep_table(summaries);
  }
  std::cerr << "records: " << (folder / "records.jsonl").string() << '\n';
  return exit_code_of(result);
}

}  // namespace

Command add_sweep_command(CLI::App& program) {
  const auto options = std::make_shared<SweepOptions>();
  CLI::App* parser =
      program.add_subcommand("sweep", "Run a grid of experiments, each in a process of its own");
  parser->add_option("config", options->config, "Sweep config (JSON)")->required();
  parser->add_option(
      "--out", options->out,
      "Folder of the records; resumes what it holds (default: runs/<time>-<config>)");
  parser->add_option("--jobs", options->jobs, "Cells at once (default: the config's)");
  parser->add_option("--launcher", options->launcher, "Where cells run: local")
      ->capture_default_str();
  parser->add_flag("--extend", options->extend,
                   "Take a config with other axes or repeats than the folder's; run what is new");
  parser->add_flag("--dry-run", options->dry_run,
                   "Only list the cells with their ids, and estimate what they take");
  parser->add_flag("--json", options->json, "Print one JSON document instead of the table");
  parser->add_flag("--progress", options->progress,
                   "Show progress where stderr is no terminal too");
  return {parser, [options] { return run_sweep_command(*options); }};
}

}  // namespace runahead::apps
