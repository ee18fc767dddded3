#include <unistd.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "apps/cell/allocator_restart.h"
#include "apps/cell/command.h"
#include "apps/cell/interrupt_watch.h"
#include "apps/cell/record_table.h"
#include "apps/cell/wiring.h"
#include "apps/program/cell_options.h"
#include "apps/program/standard_streams.h"
#include "core/base/interruption.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/terminal.h"
#include "core/config/experiment_config.h"
#include "core/experiment/experiment_run.h"
#include "core/memory/heap.h"
#include "core/record/condition.h"
#include "core/recording/run_folder.h"

namespace runahead::cell {
namespace {

/// The same for every run, so that freed batches leave RSS and runs are comparable.
constexpr std::size_t kMallocThresholdBytes = std::size_t{64} << 10;

/// Time from a signal to writing the record without the front end. The whole has 2 seconds.
constexpr std::chrono::milliseconds kInterruptGrace{700};

struct Options {
  apps::RunOptions run{};
  apps::CellOptions cell{};
};

/// One run from its config to its exit code.
class CellRun {
 public:
  explicit CellRun(Options options)
      : options_(std::move(options)), conditions_(record::parse_conditions(options_.run.fail_if)) {}

  ExitCode execute(const config::ExperimentConfig& config, const std::string& malloc_settings) {
    prepare(config, malloc_settings);
    run_->execute(watch_.stop_token());
    const std::lock_guard lock(mutex_);
    return conclude(std::nullopt);
  }

 private:
  void prepare(const config::ExperimentConfig& config, const std::string& malloc_settings) {
    const CudaEnvironment cuda = find_cuda_environment(config);
    const std::lock_guard lock(mutex_);
    run_.emplace(config, make_factories(config),
                 experiment::RunOptions{.repeat = options_.cell.repeat,
                                        .axes = options_.cell.read_axes(),
                                        .malloc_settings = malloc_settings,
                                        .memory_limit_bytes = options_.cell.memory_limit_bytes,
                                        .sink = &std::cerr,
                                        .progress = progress_output(config),
                                        .progress_file = options_.cell.progress_file,
                                        .progress_file_seconds = options_.cell.progress_seconds,
                                        .trace = options_.run.trace,
                                        .cuda = cuda.version,
                                        .gpu = cuda.device_name});
    folder_.emplace(options_.run.out, config.experiment + "-" + config.device);
  }

  [[nodiscard]] experiment::ProgressOutput progress_output(
      const config::ExperimentConfig& config) const {
    if (!options_.run.progress && isatty(STDERR_FILENO) != 1) return {};
    // Lines that are updated in place would overwrite the output of the wait `print`.
    if (config.sync->wait() == config::WaitKind::kPrint) return {.out = &std::cerr};
    return {.out = &std::cerr, .coloured = wants_colour(STDERR_FILENO), .columns = [] {
              return terminal_columns(STDERR_FILENO);
            }};
  }

  /// Writes and prints what was measured. Ends the process unless the run ended well, because
  /// destroying the run could mean waiting for a long queue.
  ExitCode conclude(std::optional<std::string> interruption) {
    const record::Record record = run_->finish(std::move(interruption));
    folder_->write(record, run_->samples(), run_->start_time());
    const bool is_traced = write_trace();
    if (options_.run.json) {
      std::cout << dump_json(record::to_json(record), 2) << '\n';
    } else {
      std::cout << record_table(record, run_->samples()) << "  record                  "
                << folder_->record_path().string() << '\n';
    }
    const ExitCode reported = apps::with_stdout_checked(
        is_traced ? apps::exit_code_of(record.status) : ExitCode::kFailed);
    if (record.error) log_error(*record.error);
    const ExitCode code = apps::with_bounds(reported, record::failures_of(conditions_, record));
    if (code != ExitCode::kOk) _exit(apps::to_status(code));
    return code;
  }

  /// Called after the record is written, so that a full disk or a lack of memory costs only the
  /// trace.
  bool write_trace() noexcept {
    try {
      run_->write_trace(folder_->trace_path());
      return true;
    } catch (const std::exception& error) {
      log_error(error.what());
      return false;
    }
  }

  /// Called on the watch's thread if the front end did not react to the signal in time.
  void conclude_overdue() noexcept {
    const std::lock_guard lock(mutex_);
    try {
      if (run_ && folder_) conclude("interrupted by a signal");
    } catch (const std::exception& error) {
      log_error(error.what());
    }
    _exit(interrupted_exit_code());
  }

  Options options_;
  std::vector<record::Condition> conditions_;
  std::mutex mutex_{};  ///< The holder concludes the run; the other thread ends with the process.
  std::optional<experiment::ExperimentRun> run_{};
  std::optional<recording::RunFolder> folder_{};
  // Created before any other thread (run_ starts some), destroyed before the members it uses.
  InterruptWatch watch_{kInterruptGrace, [this] { conclude_overdue(); }};
};

/// "train.json: ", the name of the config as its user knows it. The cells of a sweep are named by
/// their axes.
std::string source_of(const Options& options) {
  const std::string& path = options.run.config;
  if (!options.cell.axes.empty()) return "";
  if (path == "-" || path.starts_with("/proc/self/fd/")) return "stdin: ";
  return path + ": ";
}

ExitCode run(const Options& options) {
  const std::string malloc_settings = memory::configure_malloc(kMallocThresholdBytes);
  const config::ExperimentConfig config =
      config::load_experiment(options.run.config, options.run.sets);
  restart_for_allocator(config);  // Before any thread starts; it may not return.
  try {
    return CellRun(options).execute(config, malloc_settings);
  } catch (const ConfigError& error) {
    const std::string problem = error.what();
    if (!problem.starts_with('/')) throw;  // Not about a key.
    throw ConfigError(source_of(options) + problem);
  }
}

}  // namespace

Command add_run_command(CLI::App& program) {
  const auto options = std::make_shared<Options>();
  CLI::App* parser = program.add_subcommand("run", "Run one experiment in this process");
  parser->add_option("config", options->run.config, "Experiment config (JSON)")->required();
  apps::add_run_options(*parser, options->run);
  apps::add_cell_options(*parser, options->cell);
  return {parser, [options] { return run(*options); }};
}

}  // namespace runahead::cell
