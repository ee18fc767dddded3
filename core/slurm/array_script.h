#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace runahead::slurm {

/// What an array asks of Slurm for each of its tasks.
struct TaskNeeds {
  std::optional<double> timeout_seconds{};  ///< Of a cell; nullopt: the partition's.
  std::optional<std::uint64_t>
      memory_limit_bytes{};  ///< Of a cell; nullopt: the cluster's default.
  int cpus = 1;
  std::vector<std::string> options{};  ///< The user's for sbatch, "--partition=gpu".
};

/// Everything that the script of an array says.
struct ArrayScript {
  std::string name{};  ///< Of the job.
  std::filesystem::path runahead{};
  std::filesystem::path cell_program{};  ///< `runahead-cell`.
  std::filesystem::path folder{};        ///< Of the array; absolute.
  std::int64_t tasks = 1;
  std::optional<int> at_once{};  ///< Most tasks that run at a time; nullopt: Slurm decides.
  TaskNeeds needs{};
};

/// The text that `sbatch` reads: each task becomes `runahead run-cell FOLDER INDEX`.
/// @throws ConfigError if the folder's name has a character that Slurm cannot take (a quote, a
///         backslash, a line end).
[[nodiscard]] std::string text_of(const ArrayScript& script);

/// @throws ConfigError if Slurm cannot take the folder's name, as text_of.
void require_folder_for_slurm(const std::filesystem::path& folder);

/// @throws ConfigError unless `option` is one that a user may give to sbatch: it begins with a
///         dash, is one option with its value, and is none of those that the launcher sets for
///         itself, however it is written.
void require_sbatch_option(const std::string& option);

/// Minutes, as `--time` counts, for a cell of that timeout: with ten seconds to start and end it.
[[nodiscard]] std::int64_t time_limit_minutes(double timeout_seconds);

/// MiB, as `--mem` counts, for a cell of that memory limit: with an eighth of it, and at least 64
/// MiB, for what attends it and for what RSS does not show.
[[nodiscard]] std::uint64_t memory_mebibytes(std::uint64_t memory_limit_bytes);

}  // namespace runahead::slurm
