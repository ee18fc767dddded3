#pragma once

#include <optional>
#include <string>

#include "core/record/record.h"
#include "core/slurm/slurm_client.h"

namespace runahead::slurm {

/// What is known about a task that no longer runs.
struct TaskEnd {
  std::string name{};                       ///< "12_3".
  std::optional<JobState> state{};          ///< nullopt: Slurm has forgotten the task.
  std::optional<JobDetail> detail{};        ///< nullopt: unknown.
  std::string output_end{};                 ///< The end of what it and Slurm printed.
  std::optional<record::Status> written{};  ///< Status of the record that it left; nullopt: none.
  std::string written_error{};              ///< That record's `error`.
  bool was_cancelled = false;               ///< By this sweep.
};

/// How the run of a task ended.
struct TaskVerdict {
  bool was_taken_away = false;  ///< Its node failed or it was preempted; worth another attempt.
  record::Status status = record::Status::kOk;
  std::string error{};  ///< Empty: none.
};

/// Whether a record with that status is valid however the task ended. An interrupted or crashed run
/// may have been ended by Slurm or the kernel; the state of the task is then more informative.
[[nodiscard]] bool is_final(record::Status status) noexcept;

/// Implements the table in this folder's README.
[[nodiscard]] TaskVerdict verdict_of(const TaskEnd& end);

/// A sentence for the user if tasks of the array wait for a reason that may never pass, such as
/// "JobHeldUser" or "BadConstraints" but not "Resources" or "Priority"; empty otherwise.
[[nodiscard]] std::string lasting_wait(const std::string& reason, const std::string& job_id);

}  // namespace runahead::slurm
