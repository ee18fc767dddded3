#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace runahead::slurm {

/// One submission of a sweep, as recorded in `array.json` in its folder, such as `DIR/slurm/0001`.
/// The folder also holds `array.sh`, `sweep.json` (the config that the tasks run), and
/// `task-K.out`.
struct ArrayFiles {
  std::filesystem::path folder{};
  std::string name{};    ///< Job name; unique, so that an array whose id was lost can be found.
  std::string job_id{};  ///< Empty: not known (yet).
  Json settings{};       ///< A sweep with other settings cannot take the array over.
  std::vector<std::int64_t> shards{};  ///< The shard of each task.

  [[nodiscard]] std::filesystem::path script() const { return folder / "array.sh"; }
  /// The file with what a task and Slurm printed.
  [[nodiscard]] std::filesystem::path output(std::int64_t task) const;
  /// The end of that file; empty if there is none.
  [[nodiscard]] std::string output_end(std::int64_t task) const;

  /// Writes `array.json`. @throws Error if it cannot be written.
  void save() const;
  /// Marks the array as done, so that later sweeps ignore it. @throws Error as save().
  void close() const;
};

/// `DIR/slurm/NNNN` with the next unused number. Does not create it.
[[nodiscard]] std::filesystem::path next_array_folder(const std::filesystem::path& sweep_folder);

/// The last submission, unless it is closed. Closes one that cannot be read, with a warning.
[[nodiscard]] std::optional<ArrayFiles> open_array(const std::filesystem::path& sweep_folder);

}  // namespace runahead::slurm
