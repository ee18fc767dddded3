#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace runahead::slurm {

/// What an array requests from Slurm for each task.
struct TaskNeeds {
  std::optional<double> timeout_seconds{};  ///< Per cell; nullopt: the partition's default.
  std::optional<std::uint64_t> memory_limit_bytes{};  ///< Per cell; nullopt: the cluster's default.
  int cpus = 1;
  std::vector<std::string> options{};  ///< The user's sbatch options, such as "--partition=gpu".
};

/// How a sweep runs on a cluster.
struct SlurmOptions {
  std::filesystem::path folder{};        ///< The sweep's folder; absolute, shared with the nodes.
  std::filesystem::path runahead{};      ///< The program that runs the shards.
  std::filesystem::path cell_program{};  ///< `runahead-cell`.
  Json sweep{};                          ///< The resolved config.
  TaskNeeds needs{};  ///< `cpus` is the least; a cell that uses more raises it for its array.
  std::optional<int> at_once{};      ///< Most tasks at once; nullopt: Slurm decides.
  std::vector<std::string> retry{};  ///< Statuses of earlier runs that are run again.
  bool shows_progress = false;       ///< Whether cells write their progress, for RunnerActivity.
  /// Whether to take over earlier arrays that still run; otherwise they are cancelled, and what
  /// their shards left is deleted.
  bool takes_over = true;
  std::function<void(const std::string&)> report{};  ///< Called with a line when states change.
};

/// The contents of the script of an array.
struct ArrayScript {
  const SlurmOptions& options;         ///< Must outlive the script.
  std::string name = "runahead";       ///< Job name.
  std::filesystem::path folder{};      ///< The array's folder; absolute.
  std::vector<std::int64_t> shards{};  ///< The shard of each task.
  std::int64_t shard_count = 1;
  int cpus = options.needs.cpus;  ///< Of each task.
};

/// The text that `sbatch` reads. Each task runs `runahead sweep CONFIG --out DIR --shard I/N`.
/// @throws ConfigError if Slurm does not accept the folder's name, as require_folder_for_slurm.
[[nodiscard]] std::string text_of(const ArrayScript& script);

/// @throws ConfigError if the folder's name has a quote, a backslash or a line end.
void require_folder_for_slurm(const std::filesystem::path& folder);

/// @throws ConfigError unless `option` is a single option with its value, and not one that the
///         launcher sets itself, in any spelling that sbatch accepts.
void require_sbatch_option(const std::string& option);

/// Whether Slurm's commands must run without this environment variable, because it would override
/// an option that the launcher sets itself, or filter what they show or cancel.
[[nodiscard]] bool overrides_launcher(std::string_view variable);

}  // namespace runahead::slurm
