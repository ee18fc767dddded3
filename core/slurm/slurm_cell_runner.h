#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/slurm/array_script.h"
#include "core/slurm/submit_host.h"
#include "core/sweep/cell_runner.h"

namespace runahead::slurm {

/// How a sweep runs on a cluster.
struct SlurmOptions {
  std::filesystem::path folder{};        ///< Of the sweep; absolute, shared with the nodes.
  std::filesystem::path runahead{};      ///< The program that runs the shards.
  std::filesystem::path cell_program{};  ///< `runahead-cell`.
  Json sweep{};                          ///< The resolved config.
  TaskNeeds needs{};  ///< `cpus` is the least; a cell that uses more raises it for its array.
  std::optional<int> at_once{};      ///< Most tasks at a time; nullopt: Slurm decides.
  std::vector<std::string> retry{};  ///< Statuses of earlier runs that run again.
  bool shows_progress = false;       ///< Cells then write how far they are for RunnerActivity.
  /// Earlier arrays that still run are taken over; otherwise they are cancelled, and what their
  /// shards left is deleted.
  bool takes_over = true;
  std::function<void(const std::string&)> report{};  ///< Gets a line whenever states change.
};

/// Most tasks of one array, whatever the cluster allows.
inline constexpr std::int64_t kMaxArrayTasks = 5000;

/// CPUs that a cell keeps busy: its operators' threads for each worker and, on `acpu`, the front
/// end.
[[nodiscard]] int cpus_of(const config::ExperimentConfig& config);

/// The first script that the sweep would submit.
[[nodiscard]] std::string script_of(const SlurmOptions& options, const sweep::Plan& plan);

/// After a change of launcher: warns of an array that may still run, and closes it if `closes`.
void warn_of_open_array(const std::filesystem::path& sweep_folder, bool closes);

/// Runs each run of a sweep as a shard of its own in a task of a job array. `start` only collects;
/// waiting for a result submits what was collected, one array at a time. So start every run: the
/// array's throttle bounds how many run at once. A run is submitted again, once, if its node failed
/// or it was preempted.
///
/// `wait_any` polls every one to ten seconds. After an interrupt it cancels the array, waits up to
/// two minutes for the tasks to end, and also returns runs that had not begun (CellResult::began).
/// A shard's file stays until the call after the one that returned its record: by then it is
/// stored.
class SlurmCellRunner final : public sweep::CellRunner {
 public:
  /// Takes over or cancels what an earlier sweep submitted, and waits for
  /// what it cancels. @throws UnavailableError if no Slurm answers; Error if the folder cannot be
  /// read.
  SlurmCellRunner(std::shared_ptr<SubmitHost> host, SlurmOptions options, const sweep::Plan& plan);
  ~SlurmCellRunner() override;

  void start(const sweep::Cell& cell, const sweep::CellJob& job) override;

  /// @throws Error if Slurm rejects an array or has not answered for ten minutes, or a task found
  ///         the disk full. What was submitted goes on; the same sweep started again takes it over.
  [[nodiscard]] sweep::CellResult wait_any() override;
  [[nodiscard]] std::optional<sweep::CellResult> wait_any_for(double seconds) override;

  /// As of the last poll; a cell's progress is what it wrote to the shared folder since.
  [[nodiscard]] sweep::RunnerActivity activity(std::size_t detailed) override;
  void finish() override;
  [[nodiscard]] bool interrupted() override;

 private:
  class Arrays;
  std::unique_ptr<Arrays> arrays_;
};

}  // namespace runahead::slurm
