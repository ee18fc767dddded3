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
#include "apps/runahead/slurm_launch.h"
#include "apps/runahead/sweep_table.h"
#include "apps/runahead/text_table.h"
#include "core/config/sweep_config.h"
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
  std::vector<std::string> sbatch{};
  bool dry_run = false;
  bool json = false;
  bool progress = false;
};

void check(const SweepOptions& options) {
  if (options.launcher != "local" && options.launcher != "slurm") {
    throw ConfigError("--launcher: found '" + options.launcher +
                      "'; allowed: local (child processes), slurm (job arrays)");
  }
  if (options.launcher == "local" && !options.sbatch.empty()) {
    throw ConfigError("--sbatch: found with --launcher local; allowed: with --launcher slurm");
  }
  if (options.jobs && (*options.jobs < 1 || *options.jobs > kMaxJobs)) {
    throw ConfigError("--jobs: found " + std::to_string(*options.jobs) + "; allowed: 1 to " +
                      std::to_string(kMaxJobs));
  }
}

ExitCode list_cells(const sweep::Plan& plan, bool as_json) {
  if (as_json) {
    Json cells = Json::array();
    for (const sweep::Cell& cell : plan.cells) {
      cells.push_back({{"id", cell.id}, {"axes", cell.axes}, {"repeats", plan.repeats}});
    }
    std::cout << dump_json({{"cells", cells}, {"runs", plan.jobs.size()}}, 2) << '\n';
    return ExitCode::kOk;
  }
  TextTable table({{"id", TextTable::Align::kLeft}, {"axes", TextTable::Align::kLeft}});
  for (const sweep::Cell& cell : plan.cells) table.add_row({cell.id, describe_axes(cell.axes)});
  std::cout << table.to_string() << plan.cells.size() << " cells, " << plan.repeats
            << " repeats: " << plan.jobs.size() << " runs\n";
  return ExitCode::kOk;
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
    cells.push_back({{"id", plan.cells[index].id},
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

ExitCode print_script(const slurm::ArraySettings& settings, const sweep::Plan& plan, bool as_json) {
  const std::string script = slurm_script(settings, plan.jobs.size());
  if (as_json) {
    std::cout << dump_json({{"script", script}, {"runs", plan.jobs.size()}}, 2) << '\n';
  } else {
    std::cout << script;
  }
  return ExitCode::kOk;
}

/// Where and how the cells of a sweep run.
struct Launch {
  fs::path cell_program{};
  std::optional<slurm::ArraySettings> arrays{};  ///< nullopt: as children of this process.
  int at_once = 1;                               ///< Cells that the runner gets at a time.
};

/// @throws UnavailableError before anything is written.
Launch launch_of(const SweepOptions& options, const config::SweepConfig& config,
                 const sweep::Plan& plan, const fs::path& folder) {
  Launch launch{.cell_program = find_cell_program(), .at_once = options.jobs.value_or(config.jobs)};
  if (options.launcher == "slurm") {
    launch.arrays =
        slurm_settings(folder, config, {.jobs = options.jobs, .sbatch_options = options.sbatch});
    // All of them: the throttle of the array is what bounds it.
    launch.at_once = static_cast<int>(plan.jobs.size());
  }
  return launch;
}

std::unique_ptr<sweep::CellRunner> make_runner(const Launch& launch,
                                               const config::SweepConfig& config,
                                               const fs::path& cells_folder, bool tells_states) {
  if (launch.arrays) return make_slurm_runner(*launch.arrays, tells_states);
  return std::make_unique<sweep::ProcessCellRunner>(
      sweep::ProcessCellOptions{.program = launch.cell_program,
                                .cells_folder = cells_folder,
                                .timeout_seconds = config.timeout_seconds,
                                .memory_limit_bytes = config.memory_limit_bytes});
}

ExitCode exit_code_of(const sweep::SweepResult& result) {
  if (result.interrupted) return ExitCode::kInterrupted;
  return result.all_ok() ? ExitCode::kOk : ExitCode::kCellsFailed;
}

ExitCode run_sweep_command(const SweepOptions& options) {
  check(options);
  const config::SweepConfig config = config::load_sweep(options.config);
  const sweep::Plan plan = sweep::make_plan(config, options.config);
  if (options.dry_run && options.launcher == "local") return list_cells(plan, options.json);

  const fs::path folder = fs::absolute(
      options.out.empty() ? default_result_folder(fs::path(options.config).stem().string())
                          : fs::path(options.out));
  const Launch launch = launch_of(options, config, plan, folder);
  if (options.dry_run) return print_script(*launch.arrays, plan, options.json);

  sweep::RecordStore store(folder, config);
  const bool show_progress = options.progress || ::isatty(STDERR_FILENO) == 1;
  const auto on_end = [show_progress](const sweep::SweepProgress& progress) {
    // What went wrong is no progress: it is told in any case.
    if (show_progress || progress.result.record.status != record::Status::kOk) tell(progress);
  };
  const std::unique_ptr<sweep::CellRunner> runner =
      make_runner(launch, config, store.cells_folder(), show_progress);
  const sweep::SweepResult result = sweep::run_sweep(plan, store, *runner, launch.at_once, on_end);

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
  parser
      ->add_option("--launcher", options->launcher,
                   "Where cells run: local (child processes) or slurm (job arrays)")
      ->capture_default_str();
  parser
      ->add_option("--sbatch", options->sbatch,
                   "With slurm: an option for sbatch, as --sbatch=--partition=gpu (repeatable)")
      ->take_all()
      ->allow_extra_args(false);
  parser->add_flag("--dry-run", options->dry_run,
                   "Only list the cells and their ids, or print the script for Slurm");
  parser->add_flag("--json", options->json, "Print one JSON document instead of the table");
  parser->add_flag("--progress", options->progress,
                   "Show progress where stderr is no terminal too");
  return {parser, [options] { return run_sweep_command(*options); }};
}

}  // namespace runahead::apps
