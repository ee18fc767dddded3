#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/sweep/plan.h"

namespace runahead::slurm {

/// What one task of an array runs.
struct Task {
  sweep::Cell cell{};
  std::int64_t repeat = 0;
};

/// Names a run among all runs of a sweep.
[[nodiscard]] std::string run_key(const std::string& cell_id, std::int64_t repeat);

/// Writes `tasks.jsonl`, a line a task. What was written is there for others only after `finish`.
class TaskListWriter {
 public:
  /// Creates or empties the file. @throws Error if it cannot be written.
  explicit TaskListWriter(std::filesystem::path path);

  /// Adds the next task.
  void append(const sweep::Cell& cell, std::int64_t repeat);

  /// Closes the file; again it does nothing. @throws Error if not all of it could be written (a
  /// full disk).
  void finish();

  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

 private:
  std::filesystem::path path_;
  std::ofstream file_;
  std::int64_t size_ = 0;
};

/// Reads `tasks.jsonl`. It keeps eight bytes a task, not the tasks.
class TaskList {
 public:
  /// @throws Error if the file cannot be read or is longer than any list that is written here.
  explicit TaskList(std::filesystem::path path);

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(starts_.size()); }

  /// @throws Error if there is no such task, or its line is damaged.
  [[nodiscard]] Task read(std::int64_t index) const;

  /// run_key of every task, in their order. @throws Error if a line is damaged.
  [[nodiscard]] std::vector<std::string> keys() const;

 private:
  /// The checked document of a line. @throws Error if it is damaged.
  [[nodiscard]] Json parse(const std::string& line, std::int64_t index) const;
  [[nodiscard]] std::string name_of_line(std::int64_t index) const;

  std::filesystem::path path_;
  std::vector<std::uint64_t> starts_{};  ///< Offset of each line, bytes.
};

}  // namespace runahead::slurm
