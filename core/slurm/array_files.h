#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace runahead::slurm {

/// One submission of a sweep: what its folder, `DIR/slurm/0001`, says in `array.json`. The folder
/// also holds `array.sh`, `sweep.json` (the config that the tasks run), and `task-K.out`.
struct ArrayFiles {
  std::filesystem::path folder{};
  std::string name{};    ///< Of the job; unique, so that an array whose id was lost is found.
  std::string job_id{};  ///< Empty: not known (yet).
  Json settings{};       ///< A sweep with other settings cannot take the array over.
  std::vector<std::int64_t> shards{};  ///< Of each task.

  [[nodiscard]] std::filesystem::path script() const { return folder / "array.sh"; }
  /// What a task and Slurm printed.
  [[nodiscard]] std::filesystem::path output(std::int64_t task) const;
  /// The end of that; empty if there is none.
  [[nodiscard]] std::string output_end(std::int64_t task) const;

  /// Writes `array.json`. @throws Error if it cannot be written.
  void save() const;
  /// Marks the array as done: no later sweep looks at it. @throws Error as save.
  void close() const;
};

/// `DIR/slurm/NNNN`, the first number that no submission has had. Not made yet.
[[nodiscard]] std::filesystem::path next_array_folder(const std::filesystem::path& sweep_folder);

/// The last submission, unless it is closed. One that cannot be read is closed, with a warning.
[[nodiscard]] std::optional<ArrayFiles> open_array(const std::filesystem::path& sweep_folder);

}  // namespace runahead::slurm
