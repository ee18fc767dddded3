#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/runahead/command.h"
#include "apps/runahead/programs.h"
#include "apps/runahead/result_folder.h"
#include "apps/runahead/slurm_launch.h"
#include "apps/runahead/sweep_dry_run.h"
#include "apps/runahead/sweep_json.h"
#include "apps/runahead/sweep_progress.h"
#include "apps/runahead/sweep_table.h"
#include "core/base/log.h"
#include "core/base/terminal.h"
#include "core/config/sweep_config.h"
#include "core/slurm/earlier_arrays.h"
#include "core/sweep/estimate.h"
#include "core/sweep/open_file_limit.h"
#include "core/sweep/process_cell_runner.h"
#include "core/sweep/record_store.h"
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
  std::vector<std::string> retry{};
  bool extend = false;
  bool fresh = false;
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

bool is_on_a_terminal() { return terminal_columns(STDERR_FILENO).has_value(); }

/// How often cells on this machine, and those of a cluster in its shared folder, tell how far they
/// are; nullopt: nobody looks.
std::optional<double> progress_seconds(const SweepOptions& options) {
  if (!options.progress && !is_on_a_terminal()) return std::nullopt;
  return options.launcher == "slurm" ? 2.0 : 0.5;
}

/// The states that --retry names.
std::set<record::Status> states_to_retry(const std::vector<std::string>& names) {
  std::set<record::Status> states;
  for (const std::string& name : names) {
    const std::optional<record::Status> state = record::status_of(name);
    if (!state || *state == record::Status::kOk) {
      throw ConfigError("--retry: found '" + name +
                        "'; allowed: failed, crashed, timed_out, out_of_memory, skipped, "
                        "separated by commas (interrupted runs are run again anyway)");
    }
    states.insert(*state);
  }
  return states;
}

sweep::EarlierRecords earlier_records(const SweepOptions& options) {
  if (options.fresh) return sweep::EarlierRecords::kSetAside;
  return options.extend ? sweep::EarlierRecords::kExtend : sweep::EarlierRecords::kResume;
}

/// Tells at once which cells will not run: their records say no more.
void tell_skipped(const sweep::Plan& plan) {
  if (plan.skipped.empty()) return;
  const std::size_t first = plan.skipped.front();
  log_warning(std::to_string(plan.skipped.size()) + " of " + std::to_string(plan.cells.size()) +
              " cells cannot run and are skipped; the first: " +
              describe_axes(plan.cells.axes(first)) + ": " + plan.cells.reason(first));
}

/// Where nothing was left to run, tells how to run again what did not end ok.
void tell_kept(const sweep::Plan& plan, const sweep::SweepResult& result) {
  std::set<std::string> states;
  for (const sweep::CellJob& job : plan.jobs) {
    const auto& run = result.runs[job.cell][static_cast<std::size_t>(job.repeat)];
    if (!run || run->status == record::Status::kInterrupted) return;
    if (run->status != record::Status::kOk) states.insert(std::string(name_of(run->status)));
  }
  if (states.empty() || result.cost.runs > 0) return;
  std::string list;
  for (const std::string& state : states) list += (list.empty() ? "" : ",") + state;
  log_info("every run has ended; `--retry " + list + "` runs again what did not end ok");
}

void print_script(const slurm::ArraySettings& settings, const sweep::Plan& plan, bool as_json) {
  const std::string script = slurm_script(settings, plan);
  if (as_json) {
    std::cout << dump_json({{"script", script}, {"runs", plan.jobs.size()}}, 2) << '\n';
  } else {
    std::cout << script;
  }
}

/// Where and how the cells of a sweep run.
struct Launch {
  fs::path cell_program{};
  std::optional<slurm::ArraySettings> arrays{};  ///< nullopt: as children of this process.
  int at_once = 1;                               ///< Cells that the runner gets at a time.
};

/// @throws UnavailableError, or ConfigError for more jobs than this process may have, before
/// anything is written.
Launch launch_of(const SweepOptions& options, const config::SweepConfig& config,
                 const sweep::Plan& plan, const fs::path& folder) {
  Launch launch{.cell_program = find_cell_program(), .at_once = options.jobs.value_or(config.jobs)};
  if (options.launcher == "slurm") {
    launch.arrays = slurm_settings(folder, launch.cell_program, config,
                                   {.jobs = options.jobs, .sbatch_options = options.sbatch});
    launch.arrays->progress_seconds = progress_seconds(options);
    // All of them: the throttle of the array is what bounds it.
    launch.at_once = static_cast<int>(plan.jobs.size());
  } else {
    const auto runs = static_cast<int>(plan.jobs.size());
    sweep::raise_open_file_limit(std::min(launch.at_once, runs));
  }
  return launch;
}

std::unique_ptr<sweep::CellRunner> make_runner(const SweepOptions& options, const Launch& launch,
                                               const config::SweepConfig& config,
                                               const fs::path& cells_folder) {
  if (launch.arrays) {
    // On a terminal the states are among the lines that change in place.
    const bool tells_states = options.progress && !is_on_a_terminal();
    return make_slurm_runner(*launch.arrays, !options.fresh, tells_states);
  }
  return std::make_unique<sweep::ProcessCellRunner>(
      sweep::ProcessCellOptions{.program = launch.cell_program,
                                .cells_folder = cells_folder,
                                .timeout_seconds = config.timeout_seconds,
                                .memory_limit_bytes = config.memory_limit_bytes,
                                .jobs = launch.at_once,
                                .progress_seconds = progress_seconds(options)});
}

ExitCode exit_code_of(const sweep::SweepResult& result) {
  if (result.interrupted) return ExitCode::kInterrupted;
  return result.all_ok() ? ExitCode::kOk : ExitCode::kCellsFailed;
}

void dry_run(const SweepOptions& options, const config::SweepConfig& config,
             const sweep::Plan& plan, const sweep::SweepSettings& settings) {
  const bool resumes = !options.out.empty() && !options.fresh;
  const fs::path records = resumes ? fs::path(options.out) / "records.jsonl" : fs::path();
  const sweep::EarlierRuns earlier = sweep::read_earlier_runs(plan, records);
  print_dry_run(plan, sweep::estimate(config, plan, earlier, settings.retry, settings.jobs),
                options.json);
}

/// Runs the sweep, whose progress is shown on stderr meanwhile.
sweep::SweepResult run_watched(const SweepOptions& options, const sweep::Plan& plan,
                               sweep::RecordStore& store, sweep::CellRunner& runner,
                               sweep::SweepSettings settings) {
  SweepProgressView view({.out = &std::cerr,
                          .columns = [] { return terminal_columns(STDERR_FILENO); },
                          .tells_status = options.progress},
                         plan);
  view.attend(settings);
  return sweep::run_sweep(plan, store, runner, settings);
}

ExitCode run_sweep_command(const SweepOptions& options) {
  check(options);
  const config::SweepConfig config = config::load_sweep(options.config);
  sweep::SweepSettings settings{.jobs = options.jobs.value_or(config.jobs),
                                .retry = states_to_retry(options.retry)};
  const sweep::Plan plan = sweep::make_plan(config, options.config);
  if (options.dry_run && options.launcher == "local") {
    dry_run(options, config, plan, settings);
    return ExitCode::kOk;
  }

  const fs::path folder = fs::absolute(
      options.out.empty() ? default_result_folder(fs::path(options.config).stem().string())
                          : fs::path(options.out));
  const Launch launch = launch_of(options, config, plan, folder);
  if (options.dry_run) {
    print_script(*launch.arrays, plan, options.json);
    return ExitCode::kOk;
  }
  tell_skipped(plan);
  settings.jobs = launch.at_once;
  sweep::RecordStore store(folder, config, earlier_records(options));
  if (options.fresh && !launch.arrays) slurm::close_earlier_arrays(folder);
  const std::unique_ptr<sweep::CellRunner> runner =
      make_runner(options, launch, config, store.cells_folder());
  const sweep::SweepResult result = run_watched(options, plan, store, *runner, settings);

  if (options.json) {
    print_sweep_json(folder, plan, result);
  } else {
    std::cout << sweep_tables(plan, result);
  }
  tell_kept(plan, result);
  std::cerr << "records: " << store.records_path().string() << '\n';
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
  parser
      ->add_option("--retry", options->retry,
                   "Run again what ended so: failed,crashed,timed_out,out_of_memory,skipped")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false);
  CLI::Option* extend = parser->add_flag(
      "--extend", options->extend,
      "Take a config with other axes or repeats than the folder's; run what is new");
  parser
      ->add_flag("--fresh", options->fresh,
                 "Set aside what the folder holds (in earlier-1, …) and run everything")
      ->excludes(extend);
  parser->add_flag("--dry-run", options->dry_run,
                   "Only list the cells with their ids, and estimate what they take; with slurm "
                   "print the script");
  parser->add_flag("--json", options->json, "Print one JSON document instead of the table");
  parser->add_flag("--progress", options->progress,
                   "Where stderr is no terminal: tell every 10 seconds how far the sweep is");
  return {parser, [options] { return run_sweep_command(*options); }};
}

}  // namespace runahead::apps
