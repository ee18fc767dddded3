#include "core/sweep/process_cell_runner.h"

#include <boost/asio/io_context.hpp>
#include <deque>
#include <map>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/config/experiment_config.h"
#include "core/sweep/cell_outcome.h"
#include "core/sweep/child_process.h"
#include "core/sweep/interrupt_watch.h"

namespace runahead::sweep {

namespace {

/// An empty folder: what an earlier attempt left would pass for this one's.
void make_empty_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  if (!error) std::filesystem::create_directories(folder, error);
  if (error) throw Error("'" + folder.string() + "' could not be made: " + error.message());
}

}  // namespace

class ProcessCellRunner::Children {
 public:
  explicit Children(ProcessCellOptions options) : options_(std::move(options)) {}

  /// Whoever leaves early (an exception) leaves no child and no pending handler behind.
  ~Children() {
    interrupt();
    while (!running_.empty()) context_.run_one();
  }

  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  void start(const Cell& cell, const CellJob& job) {
    const std::filesystem::path folder = options_.cells_folder / folder_name(cell, job.repeat);
    make_empty_folder(folder);
    write_file_atomically(folder / "config.json", dump_json(config::to_json(cell.config), 2));
    write_file_atomically(folder / "axes.json", dump_json(cell.axes, 2));

    const ChildLimits limits{.wall_seconds = options_.timeout_seconds,
                             .rss_bytes = options_.memory_limit_bytes};
    const std::uint64_t key = next_key_++;
    running_[key] = ChildProcess::start(
        context_, command_for(folder, job), limits,
        [this, key, cell, job, folder, limits](const ChildEnd& end) {
          ended_.push_back({job, outcome_of(cell, job.repeat, folder, end, limits)});
          running_.erase(key);
        });
  }

  CellResult wait_any() {
    RUNAHEAD_REQUIRE(!running_.empty() || !ended_.empty(), "no cell is running");
    while (ended_.empty()) context_.run_one();
    CellResult result = std::move(ended_.front());
    ended_.pop_front();
    return result;
  }

  bool interrupted() {
    context_.poll();
    return interrupted_;
  }

 private:
  [[nodiscard]] ChildCommand command_for(const std::filesystem::path& folder,
                                         const CellJob& job) const {
    ChildCommand command{.program = options_.program, .log_folder = folder};
    command.arguments = {
        "run",      (folder / "config.json").string(), "--out",  folder.string(),
        "--repeat", std::to_string(job.repeat),        "--axes", (folder / "axes.json").string()};
    if (options_.memory_limit_bytes) {
      command.arguments.insert(command.arguments.end(),
                               {"--memory-limit", std::to_string(*options_.memory_limit_bytes)});
    }
    return command;
  }

  void interrupt() {
    interrupted_ = true;
    for (const auto& [key, child] : running_) child->stop(StopReason::kInterrupted);
  }

  ProcessCellOptions options_;
  boost::asio::io_context context_{1};
  InterruptWatch watch_{context_, [this](int) { interrupt(); }};
  std::map<std::uint64_t, std::shared_ptr<ChildProcess>> running_{};
  std::deque<CellResult> ended_{};
  std::uint64_t next_key_ = 0;
  bool interrupted_ = false;
};

ProcessCellRunner::ProcessCellRunner(ProcessCellOptions options)
    : children_(std::make_unique<Children>(std::move(options))) {}

ProcessCellRunner::~ProcessCellRunner() = default;

void ProcessCellRunner::start(const Cell& cell, const CellJob& job) { children_->start(cell, job); }

CellResult ProcessCellRunner::wait_any() { return children_->wait_any(); }

bool ProcessCellRunner::interrupted() { return children_->interrupted(); }

}  // namespace runahead::sweep
