#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/slurm/array_script.h"

namespace runahead::slurm {

/// What an array was submitted with: `array.json`.
struct ArrayHeader {
  std::string name{};                    ///< Of the job; no other array has it.
  std::string version{};                 ///< sweep::version_of the program that wrote it.
  std::filesystem::path cells_folder{};  ///< Absolute; each run gets a fresh folder in it.
  TaskNeeds needs{};
  std::optional<double> progress_seconds{};  ///< As ProcessCellOptions has it.
};

/// The files of one submission, in a folder that the submit host and the nodes share. Each file has
/// one writer. All functions throw Error if a file cannot be read or written.
class ArrayFolder {
 public:
  explicit ArrayFolder(std::filesystem::path path) : path_(std::move(path)) {}

  /// The folders below `parent` whose arrays are not closed, oldest first.
  [[nodiscard]] static std::vector<ArrayFolder> open_ones(const std::filesystem::path& parent);

  /// A new, empty folder below `parent`, with a number that was not used before.
  [[nodiscard]] static ArrayFolder make_next(const std::filesystem::path& parent);

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::filesystem::path tasks() const { return path_ / "tasks.jsonl"; }
  [[nodiscard]] std::filesystem::path script() const { return path_ / "array.sh"; }
  [[nodiscard]] std::filesystem::path result(std::int64_t task) const;
  [[nodiscard]] std::filesystem::path output(std::int64_t task) const;

  void write_header(const ArrayHeader& header) const;
  [[nodiscard]] ArrayHeader read_header() const;

  void write_job_id(const std::string& job_id) const;
  /// nullopt if it was not submitted, or only just.
  [[nodiscard]] std::optional<std::string> read_job_id() const;

  /// The tasks whose results are there.
  [[nodiscard]] std::set<std::int64_t> results() const;

  /// Notes that the task's record is stored, and removes its result.
  void mark_stored(std::int64_t task) const;
  /// The tasks of which that was noted.
  [[nodiscard]] std::set<std::int64_t> stored() const;

  /// What the task and Slurm printed last, at most 4 KiB; empty if there is nothing.
  [[nodiscard]] std::string output_end(std::int64_t task) const;

  /// Every task has ended, and what is worth keeping is stored elsewhere.
  void close() const;

  /// Removes the folder of an array that was never submitted.
  void remove() const;

 private:
  std::filesystem::path path_;
};

}  // namespace runahead::slurm
