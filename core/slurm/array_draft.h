#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/slurm/active_array.h"

namespace runahead::slurm {

/// What every array of a sweep is submitted with.
struct ArraySettings {
  std::filesystem::path folder{};        ///< Of the sweep; absolute, shared with the nodes.
  std::filesystem::path runahead{};      ///< The program whose `run-cell` the tasks are.
  std::filesystem::path cell_program{};  ///< `runahead-cell`.
  std::optional<int> at_once{};          ///< Most tasks at a time; nullopt: Slurm decides.
  TaskNeeds needs{};  ///< `cpus` is the least; a cell that uses more raises it for its array.
  std::optional<double>
      progress_seconds{};  ///< How often cells tell how far they are; nullopt: not.
};

/// CPUs that a cell keeps busy: its operators' threads for each worker and, on `acpu`, the front
/// end.
[[nodiscard]] int cpus_of(const config::ExperimentConfig& config);

/// The folder of a sweep's arrays.
[[nodiscard]] std::filesystem::path arrays_folder(const std::filesystem::path& sweep_folder);

/// An array that is not submitted yet; its tasks are on the disk already.
class ArrayDraft {
 public:
  /// Makes the array's folder. @throws Error if it cannot be written.
  explicit ArrayDraft(const ArraySettings& settings);

  void add(const sweep::Cell& cell, const WantedRun& run);

  /// Nothing more is added. @throws Error if not all of it could be written.
  void finish() { writer_.finish(); }

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(runs_.size()); }
  [[nodiscard]] const std::vector<WantedRun>& runs() const noexcept { return runs_; }

  /// Submits it; blocks for one command. @throws Error if Slurm takes it not, and if a file cannot
  /// be written; what is in the folder then is no array's, or is found by the job's name.
  [[nodiscard]] ActiveArray submit(SlurmClient& client);

  /// Removes what it wrote.
  void discard() const { folder_.remove(); }

 private:
  ArraySettings settings_;
  ArrayFolder folder_;
  TaskListWriter writer_;
  std::vector<WantedRun> runs_{};
};

}  // namespace runahead::slurm
