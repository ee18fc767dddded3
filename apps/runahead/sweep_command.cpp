#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/runahead/command.h"
#include "apps/runahead/config_document.h"
#include "apps/runahead/program_experiment.h"
#include "apps/runahead/sweep_launch.h"
#include "apps/runahead/sweep_output.h"
#include "apps/runahead/sweep_progress.h"
#include "apps/runahead/sweep_remarks.h"
#include "apps/runahead/sweep_table.h"
#include "core/base/log.h"
#include "core/base/result_folder.h"
#include "core/base/terminal.h"
#include "core/config/sweep_config.h"
#include "core/record/record_file.h"
#include "core/slurm/process_submit_host.h"
#include "core/slurm/slurm_cell_runner.h"
#include "core/sweep/estimate.h"
#include "core/sweep/record_store.h"
#include "core/sweep/shard.h"
#include "core/sweep/sweep.h"

namespace runahead::apps {

namespace {

namespace fs = std::filesystem;

constexpr int kMaxJobs = 1024;

std::optional<sweep::Shard> shard_of(const SweepOptions& options) {
  if (options.shard.empty()) return std::nullopt;
  if (options.launcher != "local" || options.fresh) {
    throw ConfigError(
        options.fresh
            ? "--shard and --fresh cannot be used together: other shards may have written records "
              "there already; give another --out"
            : "--shard and --launcher slurm cannot be used together: the launcher divides the "
              "sweep itself");
  }
  if (options.out.empty()) {
    throw ConfigError("--shard needs --out: the folder that all shards share");
  }
  return sweep::parse_shard(options.shard);
}

void check(const SweepOptions& options) {
  if (options.extend && options.fresh) {
    throw ConfigError("--extend and --fresh cannot be used together; give one of them");
  }
  if (options.launcher != "local" && options.launcher != "slurm") {
    throw ConfigError("--launcher: found '" + options.launcher +
                      "'; allowed: local (child processes), slurm (job arrays)");
  }
  if (options.launcher == "local" && !options.sbatch.empty()) {
    throw ConfigError("--sbatch needs --launcher slurm");
  }
}

sweep::EarlierRecords earlier_records(const SweepOptions& options) {
  if (options.fresh) return sweep::EarlierRecords::kSetAside;
  return options.extend ? sweep::EarlierRecords::kExtend : sweep::EarlierRecords::kResume;
}

/// Reports which cells will not run, before the others start.
void warn_of_skipped(const sweep::Plan& plan) {
  if (plan.skipped.empty()) return;
  const std::size_t first = plan.skipped.front();
  log_warning(std::to_string(plan.skipped.size()) + " of " + std::to_string(plan.cells.size()) +
              " cells cannot run and are skipped; the first: " +
              describe_axes(plan.cells.axes(first)) + ": " + plan.cells.reason(first));
}

void print_script(const slurm::SlurmOptions& slurm, const sweep::Plan& plan, bool as_json) {
  const std::string script = slurm::script_of(slurm, plan);
  if (as_json) {
    std::cout << dump_json({{"script", script}, {"runs", plan.jobs.size()}}, 2) << '\n';
  } else {
    std::cout << script;
  }
}

ExitCode exit_code_of(const sweep::SweepResult& result, bool bound_passed) {
  if (result.interrupted) return ExitCode::kInterrupted;
  if (bound_passed) return ExitCode::kBoundPassed;
  return result.all_ok() ? ExitCode::kOk : ExitCode::kCellsFailed;
}

void dry_run(const SweepOptions& options, const config::SweepConfig& config,
             const sweep::Plan& plan, const sweep::SweepSettings& settings) {
  const bool resumes = !options.out.empty() && !options.fresh;
  const fs::path folder = resumes ? fs::path(options.out) : fs::path("/dev/null");
  const sweep::EarlierRuns earlier =
      sweep::read_earlier_runs(plan, folder / "records.jsonl", record::shard_files(folder));
  print_dry_run(plan, sweep::estimate(config, plan, earlier, settings.retry, settings.jobs),
                options.json);
}

/// Runs the sweep and shows its progress on stderr.
sweep::SweepResult run_watched(const SweepOptions& options, const sweep::Plan& plan,
                               sweep::RecordStore& store, sweep::CellRunner& runner,
                               sweep::SweepSettings settings) {
  SweepProgressView view({.out = &std::cerr,
                          .columns = [] { return terminal_columns(STDERR_FILENO); },
                          .writes_status = options.progress,
                          .coloured = wants_colour(STDERR_FILENO)},
                         plan);
  view.attend(settings);
  return sweep::run_sweep(plan, store, runner, settings);
}

/// The config of a shard may be the `sweep.json` of a folder, which may exceed the bounds of user
/// configs.
config::SweepConfig load(const SweepOptions& options) {
  const JsonBounds bounds = options.shard.empty() ? JsonBounds{} : sweep::kSweepBounds;
  return ConfigDocument(options.config, bounds).sweep(options.sets);
}

/// Prints the tables or the document of a whole sweep, but only a line for a shard, which has only
/// a part of the results.
void print_result(const SweepOptions& options, const fs::path& folder, const fs::path& records,
                  const sweep::Plan& plan, const sweep::SweepResult& result) {
  if (options.json) {
    print_sweep_json(folder, records, plan, result);
  } else if (options.shard.empty()) {
    std::cout << sweep_tables(plan, result, wants_colour(STDOUT_FILENO));
  } else {
    std::cout << "shard " << options.shard << ": " << result.progress.done << " of "
              << result.progress.total << " runs have ended, " << result.progress.not_ok
              << " not ok\n";
  }
}

ExitCode run_sweep_command(const SweepOptions& options) {
  check(options);
  const std::vector<record::Condition> conditions = record::parse_conditions(options.fail_if);
  const std::optional<sweep::Shard> shard = shard_of(options);
  const config::SweepConfig config = load(options);
  sweep::SweepSettings settings{.retry = states_to_retry(options.retry)};
  sweep::Plan plan = sweep::make_plan(config, options.config);
  if (shard) plan = sweep::plan_of_shard(std::move(plan), *shard);
  if (options.dry_run && options.launcher == "local") {
    settings.jobs = local_jobs(options, config, plan);
    warn_of_shared_cpus(settings.jobs);
    dry_run(options, config, plan, settings);
    return ExitCode::kOk;
  }

  const fs::path folder =
      fs::absolute(options.out.empty() ? new_result_folder(fs::path(options.config).stem().string())
                                       : fs::path(options.out));
  const Launch launch = launch_of(options, config, plan, folder);
  if (options.dry_run) {
    print_script(*launch.slurm, plan, options.json);
    return ExitCode::kOk;
  }
  if (launch.slurm) {
    slurm::require_slurm();
  } else {
    require_programs(plan, options.config);
  }
  warn_of_skipped(plan);
  const bool is_whole_here = !launch.slurm && !shard;
  if (is_whole_here) {
    slurm::warn_of_open_array(folder);
    sweep::require_no_running_shard(folder);
  }
  settings.jobs = launch.at_once;
  sweep::RecordStore store(folder, config, earlier_records(options), shard);
  if (is_whole_here && options.fresh) slurm::close_open_array(folder);
  const std::unique_ptr<sweep::CellRunner> runner =
      make_runner(options, launch, config, plan, store.cells_folder());
  if (!launch.slurm) warn_of_shared_cpus(settings.jobs);
  const sweep::SweepResult result = run_watched(options, plan, store, *runner, settings);

  print_result(options, folder, store.records_path(), plan, result);
  warn_of_shared_cpus(plan, result);
  suggest_retry(plan, result);
  std::cerr << "records: " << store.records_path().string() << '\n';
  return exit_code_of(result, report_failures(conditions, plan, store));
}

}  // namespace

Command add_sweep_command(CLI::App& program) {
  const auto options = std::make_shared<SweepOptions>();
  CLI::App* parser =
      program.add_subcommand("sweep", "Run a grid of experiments, each in a process of its own");
  add_config_option(*parser, options->config, "Sweep config (JSON file; - is stdin)");
  add_set_option(*parser, options->sets,
                 "Change a value of the sweep config, as in --set /repeats=5 or --set "
                 "/base/batches=3 (repeatable)");
  parser->add_option("--out", options->out,
                     "Folder for the records; if it already holds this sweep, the sweep resumes "
                     "(default: runs/<time>-<config>)");
  require_range(*parser->add_option(
                    "--jobs", options->jobs,
                    "Number of cells that run at the same time (default: `jobs` of the config)"),
                1, kMaxJobs);
  parser
      ->add_option("--launcher", options->launcher,
                   "Where cells run: local (child processes) or slurm (a job array of shards)")
      ->capture_default_str();
  parser->add_option(
      "--shard", options->shard,
      "Run only part I of N (I counts from 0, as in 0/8) and write it to "
      "shards/I-of-N.jsonl in --out; run the same sweep without --shard to merge the parts");
  parser
      ->add_option("--sbatch", options->sbatch,
                   "With --launcher slurm: an option for sbatch, as in --sbatch=--partition=gpu "
                   "(repeatable)")
      ->take_all()
      ->allow_extra_args(false);
  parser
      ->add_option("--retry", options->retry,
                   "Rerun the cells that ended in the given states: any of "
                   "failed,crashed,timed_out,out_of_memory,skipped")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false);
  add_fail_if_option(*parser, options->fail_if);
  parser->add_flag(
      "--extend", options->extend,
      "Keep the records in --out even if the axes or repeats have changed, and run the new cells");
  parser->add_flag(
      "--fresh", options->fresh,
      "Move the contents of --out to earlier-1 (then earlier-2, …) inside it, and run everything");
  parser->add_flag("--dry-run", options->dry_run,
                   "Only list the cells with their ids, and estimate their time and memory; with "
                   "--launcher slurm print the script");
  parser->add_flag("--json", options->json, "Print one JSON document instead of the table");
  parser->add_flag("--progress", options->progress,
                   "If stderr is not a terminal: report progress every 10 seconds");
  parser->footer(
      "A cell is one combination of the values of the axes. It runs once for each repeat.\n");
  return {parser, [options] { return run_sweep_command(*options); }, place_in_sweep,
          missing_config("sweep sweep.json")};
}

}  // namespace runahead::apps
