#include "core/sweep/process_cell_runner.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <deque>
#include <exception>
#include <map>

#include "core/base/affinity.h"
#include "core/base/clock.h"
#include "core/base/cpu_topology.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/config/experiment_config.h"
#include "core/config/experiment_kinds.h"
#include "core/sweep/cell_outcome.h"
#include "core/sweep/child_process.h"
#include "core/sweep/cpu_slots.h"
#include "core/sweep/disk_room.h"
#include "core/sweep/interrupt_watch.h"

namespace runahead::sweep {

namespace {

/// Makes an empty folder, so that files of an earlier attempt are not taken for this one's.
void make_empty_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (error) throw Error("cannot empty the folder '" + folder.string() + "': " + error.message());
  make_folder(folder);
}

class ProcessCellRunner final : public CellRunner {
 public:
  explicit ProcessCellRunner(ProcessCellOptions options)
      : options_(std::move(options)), slots_(options_.jobs, order_by_core(allowed_cpus())) {}

  /// Leaves no child and no pending handler behind after an early end (an exception).
  ~ProcessCellRunner() override {
    interrupt();
    while (!running_.empty()) context_.run_one();
  }

  ProcessCellRunner(const ProcessCellRunner&) = delete;
  ProcessCellRunner& operator=(const ProcessCellRunner&) = delete;

  void start(const Cell& cell, const CellJob& job) override {
    if (failure_) std::rethrow_exception(failure_);
    begin({.cell = cell, .job = job, .slot = free_slot()});
  }

  CellResult wait_any() override { return *wait_until(std::nullopt); }

  std::optional<CellResult> wait_any_for(double seconds) override {
    return wait_until(Clock::now() + duration_of(seconds));
  }

  RunnerActivity activity(std::size_t detailed) override {
    std::vector<const RunningChild*> children;
    for (const auto& [slot, child] : running_) children.push_back(&child);
    std::ranges::sort(
        children, [](const auto* left, const auto* right) { return left->start < right->start; });
    RunnerActivity activity;
    for (const RunningChild* child : children) {
      activity.running.push_back(
          {.job = child->job, .seconds = seconds_between(child->start, Clock::now())});
      if (activity.running.size() > detailed) continue;
      activity.running.back().rss_bytes = child->process->rss_bytes();
      if (!options_.progress_seconds) continue;
      activity.running.back().progress = record::read_cell_progress(child->progress_path);
    }
    return activity;
  }

  bool interrupted() override {
    context_.poll();
    return interrupted_;
  }

 private:
  /// One try at a run.
  struct Attempt {
    Cell cell{};
    CellJob job{};
    int slot = 0;
    int number = 1;
  };

  struct RunningChild {
    CellJob job{};
    std::filesystem::path progress_path{};
    TimePoint start{};
    std::shared_ptr<ChildProcess> process{};
    bool shares_cpus = false;  ///< At some time, more cells ran than there are CPUs.
  };

  /// @param end  Deadline; nullopt: none.
  std::optional<CellResult> wait_until(std::optional<TimePoint> end) {
    RUNAHEAD_REQUIRE(!running_.empty() || !ended_.empty() || failure_, "no cell is running");
    while (ended_.empty()) {
      if (failure_) std::rethrow_exception(failure_);
      const std::size_t handled = end ? context_.run_one_until(*end) : context_.run_one();
      if (end && handled == 0) return std::nullopt;
    }
    CellResult result = std::move(ended_.front());
    ended_.pop_front();
    return result;
  }

  void begin(const Attempt& attempt) {
    const std::filesystem::path folder = folder_of(attempt);
    make_empty_folder(folder);
    write_file(folder / "config.json", dump_json(config::to_json(attempt.cell.config), 2));
    write_file(folder / "axes.json", dump_json(attempt.cell.axes, 2));
    RunningChild child{.job = attempt.job,
                       .progress_path = folder / record::kCellProgressName,
                       .start = Clock::now()};
    child.process =
        ChildProcess::start(context_, command_for(attempt, folder), limits(),
                            [this, attempt](const ChildEnd& end) { on_end(attempt, end); });
    running_[attempt.slot] = std::move(child);
    if (running_.size() <= slots_.cpu_count()) return;
    for (auto& [slot, other] : running_) other.shares_cpus = true;
  }

  /// Called by the event loop, which would lose an exception; it is kept for the waiting caller.
  void on_end(Attempt attempt, const ChildEnd& end) {
    const bool shared_cpus = running_.at(attempt.slot).shares_cpus;
    running_.erase(attempt.slot);
    if (options_.progress_seconds) {
      record::remove_cell_progress(folder_of(attempt) / record::kCellProgressName);
    }
    try {
      if (!interrupted_ && attempt.number < options_.max_attempts && was_ended_from_outside(end)) {
        log_warning("a cell, " + dump_json(attempt.cell.axes) +
                    ", was ended from outside; it is started once more");
        ++attempt.number;
        begin(attempt);
        return;
      }
      ended_.push_back({attempt.job, record_of(attempt, end)});
      if (shared_cpus) ended_.back().record.environment.cpus_shared = true;
    } catch (const Error&) {
      failure_ = std::current_exception();
    }
  }

  [[nodiscard]] record::Record record_of(const Attempt& attempt, const ChildEnd& end) const {
    record::Record record =
        outcome_of(attempt.cell, attempt.job.repeat, folder_of(attempt), end, limits());
    if (lacked_disk_space(record)) require_own_disk_has_room(record);
    record.cell = {.attempts = attempt.number,
                   .wall_seconds = end.wall_seconds,
                   .rss_peak_bytes = end.rss_peak_bytes,
                   .slot = attempt.slot,
                   .cpus = slots_.cpus_of(attempt.slot)};
    return record;
  }

  /// Throws if this sweep's disk is full; else notes in the record that another disk may be.
  void require_own_disk_has_room(record::Record& record) const {
    if (!has_disk_room(options_.cells_folder, options_.disk_room_bytes)) {
      throw Error("the disk is full, so the sweep stops (" + *record.error +
                  "); free some space and run the same command again, without --fresh: it resumes");
    }
    *record.error +=
        " (the sweep's own disk has room now: its TMPDIR's may be full; --retry failed runs it "
        "again)";
  }

  [[nodiscard]] std::filesystem::path folder_of(const Attempt& attempt) const {
    return options_.cells_folder / folder_name(attempt.cell, attempt.job.repeat);
  }

  [[nodiscard]] ChildLimits limits() const {
    return {.wall_seconds = options_.timeout_seconds, .rss_bytes = options_.memory_limit_bytes};
  }

  [[nodiscard]] ChildCommand command_for(const Attempt& attempt,
                                         const std::filesystem::path& folder) const {
    const bool runs_command =
        !options_.command_program.empty() && config::runs_command(attempt.cell.config);
    ChildCommand command{.program = runs_command ? options_.command_program : options_.program,
                         .log_folder = folder,
                         .cpus = slots_.cpus_of(attempt.slot)};
    command.arguments = {runs_command ? "cell" : "run",
                         (folder / "config.json").string(),
                         "--out",
                         folder.string(),
                         "--repeat",
                         std::to_string(attempt.job.repeat),
                         "--axes",
                         (folder / "axes.json").string()};
    if (options_.memory_limit_bytes) {
      command.arguments.insert(command.arguments.end(),
                               {"--memory-limit", std::to_string(*options_.memory_limit_bytes)});
    }
    if (options_.progress_seconds) {
      command.arguments.insert(command.arguments.end(),
                               {"--progress-file", (folder / record::kCellProgressName).string(),
                                "--progress-seconds", std::to_string(*options_.progress_seconds)});
    }
    return command;
  }

  /// The lowest slot that no cell uses.
  [[nodiscard]] int free_slot() const {
    int slot = 0;
    for (const auto& [taken, child] : running_) {
      if (taken != slot) break;
      ++slot;
    }
    return slot;
  }

  void interrupt() {
    interrupted_ = true;
    for (const auto& [slot, child] : running_) child.process->stop(StopReason::kInterrupted);
  }

  ProcessCellOptions options_;
  CpuSlots slots_;
  boost::asio::io_context context_{1};
  InterruptWatch watch_{context_, [this](int) { interrupt(); }};
  std::map<int, RunningChild> running_{};  ///< By slot.
  std::deque<CellResult> ended_{};
  std::exception_ptr failure_{};  ///< Why no cells can be run at all.
  bool interrupted_ = false;
};

}  // namespace

std::unique_ptr<CellRunner> make_process_cell_runner(ProcessCellOptions options) {
  return std::make_unique<ProcessCellRunner>(std::move(options));
}

}  // namespace runahead::sweep
