#pragma once

#include <optional>
#include <string_view>

namespace runahead::slurm {

/// The states of a job, as far as they make a difference here.
enum class JobState {
  kPending,      ///< Also requeued, being configured, held.
  kRunning,      ///< Also suspended, stopped, being signalled, staging out.
  kCompleting,   ///< Ended or cancelled, its processes or its node not yet cleared.
  kCompleted,    ///< Exit code 0.
  kFailed,       ///< Another exit code or a signal; without cgroups also: over its memory limit.
  kCancelled,    ///< By a user or an administrator.
  kTimeout,      ///< Over its time limit, or past its deadline.
  kOutOfMemory,  ///< Over its memory limit, where cgroups keep it.
  kNodeFail,     ///< Its node failed or did not boot.
  kPreempted,    ///< Gave way to a job of higher priority.
  kOther,        ///< A state that this version does not know; not an end.
};

/// The state of a name as `squeue` and `scontrol` write it, "OUT_OF_MEMORY"; words after it
/// ("CANCELLED by 0") are ignored.
[[nodiscard]] JobState job_state_of(std::string_view name) noexcept;

/// "pending", "out of memory": for people.
[[nodiscard]] std::string_view words_of(JobState state) noexcept;

/// Whether a job in this state does nothing more and will not do so by itself.
[[nodiscard]] bool has_ended(JobState state) noexcept;

/// Whether a job in this state was taken away by something that is not its own fault.
[[nodiscard]] bool was_taken_away(JobState state) noexcept;

}  // namespace runahead::slurm
