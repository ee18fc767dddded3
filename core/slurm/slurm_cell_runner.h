#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/slurm/array_draft.h"
#include "core/slurm/submit_host.h"
#include "core/sweep/cell_runner.h"

namespace runahead::slurm {

/// How a sweep runs on a cluster.
struct SlurmOptions {
  ArraySettings array{};
  /// What earlier sweeps left in the folder is merged, and their arrays that still run are taken
  /// over; else (a fresh start) they are cancelled, and their results count for nothing.
  bool takes_over = true;
  std::function<void(const std::string&)> tell{};  ///< Gets a line when states have changed.
};

/// Most tasks of one array, whatever the cluster allows.
inline constexpr std::int64_t kMaxArrayTasks = 5000;

/// Runs cells as tasks of job arrays. `start` only collects: what was collected is submitted when a
/// result is waited for, one array at a time; so start as many as there are, the array's throttle
/// is what bounds them. A run is submitted again, once, if Slurm took its node away.
///
/// `wait_any` polls, every one to ten seconds. After an interrupt it cancels the arrays, waits two
/// minutes for their ends (and for a command under way), and tells of runs that had not begun, too
/// (CellResult::began). A result stays on the disk until the call after the one that returned it:
/// by then it is stored.
class SlurmCellRunner final : public sweep::CellRunner {
 public:
  /// `host` must outlive this. Looks at what earlier sweeps left; blocks for some commands.
  /// @throws UnavailableError if there is no Slurm that answers; Error if the folder cannot be
  /// read.
  SlurmCellRunner(SubmitHost& host, SlurmOptions options);
  ~SlurmCellRunner() override;

  void start(const sweep::Cell& cell, const sweep::CellJob& job) override;

  /// @throws Error if Slurm refuses an array, or has not answered for ten minutes, or a task found
  ///         a disk full: arrays go on, and the same sweep, started again, takes them over.
  [[nodiscard]] sweep::CellResult wait_any() override;

  /// As wait_any; it asks Slurm no more often. A command that is under way is awaited.
  [[nodiscard]] std::optional<sweep::CellResult> wait_any_for(double seconds) override;

  /// As of the last question to Slurm; progress is what the cells left in the shared folder.
  [[nodiscard]] sweep::RunnerActivity activity(std::size_t detailed) override;

  /// Cancels what still runs of earlier arrays, and closes all whose runs are stored. If Slurm does
  /// not answer that is left to the next sweep, with a warning.
  void finish() override;

  [[nodiscard]] bool interrupted() override;

 private:
  class Arrays;
  std::unique_ptr<Arrays> arrays_;
};

}  // namespace runahead::slurm
