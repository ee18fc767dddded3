#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace runahead::slurm {

/// What an array requests from Slurm for each task.
struct TaskNeeds {
  std::optional<double> timeout_seconds{};  ///< Per cell; nullopt: the partition's default.
  std::optional<std::uint64_t> memory_limit_bytes{};  ///< Per cell; nullopt: the cluster's default.
  int cpus = 1;
  std::vector<std::string> options{};  ///< The user's sbatch options, such as "--partition=gpu".
};

/// The contents of the script of an array.
struct ArrayScript {
  std::string name{};  ///< Job name.
  std::filesystem::path runahead{};
  std::filesystem::path cell_program{};  ///< `runahead-cell`.
  std::filesystem::path sweep_folder{};  ///< Absolute.
  std::filesystem::path folder{};        ///< The array's folder; absolute.
  std::vector<std::int64_t> shards{};    ///< The shard of each task.
  std::int64_t shard_count = 1;
  std::optional<int> at_once{};  ///< Most tasks that run at once; nullopt: Slurm decides.
  TaskNeeds needs{};
  std::vector<std::string> arguments{};  ///< Additional arguments of each task's `sweep --shard`.
};

/// The text that `sbatch` reads. Each task runs `runahead sweep CONFIG --out DIR --shard I/N`.
/// @throws ConfigError if Slurm does not accept the folder's name, as require_folder_for_slurm.
[[nodiscard]] std::string text_of(const ArrayScript& script);

/// @throws ConfigError if the folder's name has a quote, a backslash or a line end.
void require_folder_for_slurm(const std::filesystem::path& folder);

/// @throws ConfigError unless `option` is a single option with its value, and not one that the
///         launcher sets itself, in any spelling that sbatch accepts.
void require_sbatch_option(const std::string& option);

}  // namespace runahead::slurm
