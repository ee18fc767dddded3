#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/record/cell_progress.h"
#include "core/record/record.h"
#include "core/slurm/array_folder.h"
#include "core/slurm/pending_reason.h"
#include "core/slurm/slurm_client.h"
#include "core/slurm/task_list.h"
#include "core/slurm/task_outcome.h"
#include "core/sweep/plan.h"

namespace runahead::slurm {

/// A run that a task of an array is to do.
struct WantedRun {
  sweep::CellJob job{};
  int attempts = 1;  ///< Submissions of it by this sweep, this one included.
};

/// What became of it.
struct EndedRun {
  enum class Kind {
    kRecord,     ///< `record` tells.
    kTakenAway,  ///< Not by its own fault; `record` is what to store if it is not tried again.
    kDiskFull,   ///< Nothing could be written; `record` has the words, and says nothing of the run.
    kCutShort,   ///< Cancelled or forgotten after it had begun; `record` tells.
    kNotBegun,   ///< Cancelled or forgotten before it began.
  } kind = Kind::kRecord;
  WantedRun run{};
  std::int64_t task = 0;
  record::Record record{};
};

/// An array that was submitted, by this sweep or an earlier one: which of its tasks have ended, and
/// how. Only tasks that someone wants are looked at.
class ActiveArray {
 public:
  /// @param job_id  nullopt: Slurm never got it, or nobody knows; only its results count.
  ActiveArray(ArrayFolder folder, std::optional<std::string> job_id);

  [[nodiscard]] const ArrayFolder& folder() const noexcept { return folder_; }
  [[nodiscard]] const ArrayHeader& header() const noexcept { return header_; }
  [[nodiscard]] const TaskList& tasks() const noexcept { return tasks_; }
  [[nodiscard]] const std::string& job_id() const noexcept { return job_id_; }

  void want(std::int64_t task, const WantedRun& run);

  /// Whether no wanted task is left.
  [[nodiscard]] bool is_done() const noexcept { return wanted_.empty(); }

  /// Looks for results and asks Slurm for the states. Blocks for one command.
  /// @throws NoAnswerError if Slurm does not answer, when results were looked for, too; Error if
  ///         the folder cannot be read.
  void refresh(SlurmClient& client, double now_seconds);

  /// Asks Slurm to cancel all tasks, once. Blocks for one command. @throws NoAnswerError if Slurm
  /// does not answer; it was not asked then.
  void cancel(SlurmClient& client);
  [[nodiscard]] bool was_cancelled() const noexcept { return was_cancelled_; }

  /// The next run that has ended as of the last refresh, which is then wanted no more; nullopt if
  /// there is none. May ask Slurm for the detail of a task. @throws NoAnswerError as refresh.
  [[nodiscard]] std::optional<EndedRun> take_ended(SlurmClient& client, double now_seconds);

  /// Gives up all wanted runs, one after another, as kNotBegun or kCutShort, the latter with the
  /// result of the task if there is one. Asks nothing of Slurm.
  [[nodiscard]] std::optional<EndedRun> take_abandoned();

  /// Wanted by nobody, and not ended as of the last refresh.
  [[nodiscard]] std::vector<std::int64_t> unwanted() const;

  /// The wanted tasks that run as of the last refresh, in their order.
  [[nodiscard]] std::vector<std::pair<std::int64_t, sweep::CellJob>> running() const;

  /// How far the run of a task is, as it told last; nullopt: it did not.
  [[nodiscard]] std::optional<record::CellProgress> progress_of(std::int64_t task) const;

  /// "Slurm array 12: 3 running, 12 pending (Resources), 5 ended".
  [[nodiscard]] std::string progress() const;

  /// The tasks that wait for what does not pass by itself, as of the last refresh, by the name of
  /// their reason (LastingReason).
  [[nodiscard]] std::map<std::string, LastingWait> lasting_waits() const;

 private:
  struct Wanted {
    WantedRun run{};
    bool has_begun = false;
    std::optional<double> gone_since_seconds{};  ///< Since when Slurm says that it has ended.
  };

  void note(std::int64_t task, Wanted& wanted, double now_seconds);
  [[nodiscard]] std::optional<JobState> state_of(std::int64_t task) const;
  [[nodiscard]] std::optional<EndedRun> end_of(std::int64_t task, const Wanted& wanted,
                                               SlurmClient& client, double now_seconds);
  /// Completes what is known of the end of a task; false if it has not ended, or a result may come.
  [[nodiscard]] bool ask_for_end(std::int64_t task, const Wanted& wanted, SlurmClient& client,
                                 double now_seconds, TaskEnd& end) const;
  [[nodiscard]] std::optional<record::Record> read_result(std::int64_t task) const;
  [[nodiscard]] record::Record unrun_record(std::int64_t task, const TaskVerdict& verdict) const;
  [[nodiscard]] record::Record given_up_record(std::int64_t task) const;

  ArrayFolder folder_;
  ArrayHeader header_;
  TaskList tasks_;
  std::string job_id_;  ///< Empty: none.
  bool was_cancelled_ = false;
  std::map<std::int64_t, Wanted> wanted_{};
  QueuedTasks queued_{};                   ///< As of the last refresh.
  std::set<std::int64_t> results_{};       ///< Likewise.
  std::deque<std::int64_t> to_look_at_{};  ///< Wanted tasks that may have ended.
};

}  // namespace runahead::slurm
