#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/record/record.h"
#include "core/slurm/array_files.h"
#include "core/slurm/array_script.h"
#include "core/slurm/slurm_client.h"
#include "core/sweep/cell_runner.h"
#include "core/sweep/shard.h"

namespace runahead::slurm {

/// A run that a task of an array is to perform.
struct WantedRun {
  sweep::Cell cell{};
  sweep::CellJob job{};
  sweep::Shard shard{};
  int attempts = 1;  ///< Submissions of it by this sweep, including this one.
};

/// The outcome of such a run.
struct EndedRun {
  WantedRun run{};
  record::Record record{};
  bool has_begun = true;
  bool deserves_another_try = false;  ///< How it ended says nothing about the run.
  bool lacked_disk_space = false;     ///< It could write nothing; `record` has its error.
};

/// Writes the files of an array to `script.folder` and submits it: one task for each of `runs`,
/// under a unique job name. Deletes what the runs' shards left earlier.
/// @throws Error if Slurm rejects it or a file cannot be written.
[[nodiscard]] ArrayFiles submit(ArrayScript script, const Json& settings,
                                const std::vector<WantedRun>& runs, SlurmClient& client);

/// An array submitted by this sweep or an earlier one. Tracks which of the wanted tasks have ended,
/// and how.
class RunningArray {
 public:
  RunningArray(ArrayFiles files, std::filesystem::path sweep_folder, bool is_earlier);

  [[nodiscard]] const ArrayFiles& files() const noexcept { return files_; }

  void want(WantedRun run);
  /// As want(), but only if this array is an earlier sweep's and one of its tasks has the run's
  /// shard. @return whether that is so.
  [[nodiscard]] bool want_earlier(WantedRun run);

  /// Whether no wanted task is left.
  [[nodiscard]] bool is_done() const noexcept { return wanted_.empty(); }

  /// Queries Slurm for the states of the tasks; ended runs are then available. Blocks for one
  /// command. @return whether queue_text() has changed.
  /// @throws NoAnswerError if Slurm does not answer; take_ended() then still looks for records.
  bool poll(SlurmClient& client, double now_seconds);

  /// Asks Slurm to cancel all tasks; later calls do nothing. @throws NoAnswerError if Slurm does
  /// not answer.
  void cancel(SlurmClient& client);

  /// The next run that had ended as of the last poll; it is then no longer wanted. May query Slurm
  /// for the details of a task. @throws NoAnswerError as poll().
  [[nodiscard]] std::optional<EndedRun> take_ended(SlurmClient& client, double now_seconds);

  /// Gives up the next wanted run and returns it, with its record if there is one. Does not query
  /// Slurm.
  [[nodiscard]] std::optional<EndedRun> take_abandoned();
  [[nodiscard]] bool was_abandoned() const noexcept { return was_abandoned_; }

  /// Adds the running cells and queue_text(); the first `detailed` cells with their progress.
  void describe(sweep::RunnerActivity& activity, std::size_t detailed,
                const std::filesystem::path& cells_folder) const;

  /// "Slurm array 12: 3 running, 12 pending (Resources), 5 ended".
  [[nodiscard]] const std::string& queue_text() const noexcept { return queue_text_; }

 private:
  struct Wanted {
    /// Of its task.
    struct End {
      double since_seconds = 0.0;         ///< When Slurm first reported it.
      std::optional<JobState> state{};    ///< The last one known; nullopt: Slurm has forgotten it.
      std::optional<JobDetail> detail{};  ///< nullopt: not asked for yet, or forgotten.
    };
    WantedRun run{};
    bool has_begun = false;
    std::optional<End> end{};
  };

  [[nodiscard]] std::optional<JobState> state_of(std::int64_t task) const;
  void note(std::int64_t task, Wanted& wanted, double now_seconds);
  void warn_of_lasting_waits();
  [[nodiscard]] std::string count_states() const;
  [[nodiscard]] std::optional<EndedRun> end_of(std::int64_t task, Wanted& wanted,
                                               SlurmClient& client, double now_seconds) const;
  [[nodiscard]] bool may_still_show_record(std::int64_t task, Wanted::End& end, SlurmClient& client,
                                           double now_seconds) const;
  void ask_for_detail(std::int64_t task, Wanted::End& end, SlurmClient& client) const;
  [[nodiscard]] std::optional<record::Record> record_of(const WantedRun& run) const;

  ArrayFiles files_;
  std::filesystem::path sweep_folder_;
  bool is_earlier_;
  bool was_cancelled_ = false;
  bool was_abandoned_ = false;
  std::map<std::int64_t, std::int64_t> task_of_shard_{};
  std::map<std::int64_t, Wanted> wanted_{};  ///< By task.
  QueuedTasks queued_{};                     ///< As of the last poll.
  std::deque<std::int64_t> candidates_{};    ///< Wanted tasks that may have ended.
  std::string queue_text_{};
  std::set<std::string> warned_{};  ///< Reasons for waiting already warned about.
};

}  // namespace runahead::slurm
