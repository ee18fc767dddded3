#pragma once

#include <optional>
#include <string>

#include "core/record/record.h"
#include "core/slurm/job_detail.h"

namespace runahead::slurm {

/// What is known of a task that does not run any more.
struct TaskEnd {
  std::string name{};                       ///< "12_3".
  std::optional<JobState> state{};          ///< nullopt: Slurm does not know the task (any more).
  std::optional<JobDetail> detail{};        ///< nullopt: not asked for, or not known.
  std::string output_end{};                 ///< What it and Slurm printed last.
  std::optional<record::Status> written{};  ///< Status of the result that it left; nullopt: none.
  std::string written_error{};              ///< That result's `error`.
  bool was_cancelled = false;               ///< Slurm was asked to cancel it.
};

/// How its run ended.
struct TaskVerdict {
  bool was_taken_away = false;  ///< Not by its own fault: it may be tried again.
  record::Status status = record::Status::kOk;
  std::string error{};  ///< Empty: none.
};

/// Whether a result of that status is the last word, whatever became of the task that wrote it. An
/// interrupted one may have been ended by Slurm for a reason, a crashed one by the kernel for want
/// of memory: there the state of the job tells more.
[[nodiscard]] bool is_last_word(record::Status status) noexcept;

/// The table of this folder's README.
[[nodiscard]] TaskVerdict verdict_of(const TaskEnd& end);

}  // namespace runahead::slurm
