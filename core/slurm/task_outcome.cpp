#include "core/slurm/task_outcome.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/error.h"
#include "core/base/interruption.h"
#include "core/base/log.h"
#include "core/base/text.h"

namespace runahead::slurm {

namespace {

using record::Status;

/// What slurmstepd prints for a task that was killed for its memory.
constexpr std::array<std::string_view, 4> kMemoryWords{"exceeded memory limit", "oom-kill",
                                                       "oom_kill", "OOM Killed"};

/// Parts of the reasons that may never pass: held, down, not allowed, over a limit of one job.
constexpr std::array<std::string_view, 21> kLastingReasons{"AccountNotAllowed",
                                                           "BadConstraints",
                                                           "BurstBufferOperation",
                                                           "Constraints",
                                                           "DOWN",
                                                           "Down",
                                                           "DependencyNeverSatisfied",
                                                           "Invalid",
                                                           "MaxMemPerLimit",
                                                           "AssociationTimeLimit",
                                                           "PartitionConfig",
                                                           "PartitionInactive",
                                                           "NodeLimit",
                                                           "PartitionTimeLimit",
                                                           "PerJob",
                                                           "PerNode",
                                                           "QOSMin",
                                                           "QOSNotAllowed",
                                                           "QOSTimeLimit",
                                                           "ReqNodeNotAvail",
                                                           "ReservationDeleted"};

/// " (Slurm task 12_3 on node1)".
std::string place_of(const TaskEnd& end) {
  const std::string node = end.detail ? end.detail->node : "";
  return " (Slurm task " + end.name + (node.empty() ? "" : " on " + node) + ")";
}

bool was_over_memory(const TaskEnd& end) {
  return end.state == JobState::kOutOfMemory ||
         (end.state == JobState::kFailed && contains_any(end.output_end, kMemoryWords));
}

bool was_taken_away(const TaskEnd& end) {
  return end.state == JobState::kNodeFail || end.state == JobState::kPreempted;
}

/// Names Slurm's own limits, which include a margin and may have been changed by --sbatch.
TaskVerdict over_limit(const TaskEnd& end, Status status) {
  std::string error;
  if (status == Status::kOutOfMemory) {
    const std::string limit = end.detail ? end.detail->memory_limit : "";
    error = "Slurm ended it for its memory" + (limit.empty() ? "" : ", over its limit of " + limit);
  } else {
    const std::string limit = end.detail ? end.detail->time_limit : "";
    error = "Slurm ended it at its time limit" + (limit.empty() ? "" : " of " + limit);
  }
  return {.status = status, .error = error + place_of(end)};
}

TaskVerdict taken_away(const TaskEnd& end) {
  const bool was_preempted = end.state == JobState::kPreempted;
  return {.was_taken_away = true,
          .status = Status::kCrashed,
          .error = (was_preempted ? "it was preempted" : "its node failed") + place_of(end)};
}

TaskVerdict cancelled(const TaskEnd& end) {
  const char* why = end.state ? "cancelled in Slurm"
                              : "Slurm has forgotten it and it left no record: cancelled while it "
                                "was pending, or ended too long ago";
  return {.status = Status::kInterrupted, .error = why + place_of(end)};
}

/// The task ended on its own, or was killed by something other than Slurm, and left no record.
TaskVerdict without_record(const TaskEnd& end) {
  const std::string words(without_error_prefix(last_line(end.output_end)));
  const int code = end.detail ? end.detail->exit_code : 0;
  const int signal = end.detail ? end.detail->signal : 0;
  if (signal == 0 && !words.empty()) {
    const bool is_unavailable = code == static_cast<int>(ExitCode::kUnavailable);
    const bool is_failure =
        code == static_cast<int>(ExitCode::kFailed) || code == static_cast<int>(ExitCode::kUsage);
    if (is_unavailable) return {.status = Status::kSkipped, .error = words + place_of(end)};
    if (is_failure) return {.status = Status::kFailed, .error = words + place_of(end)};
  }
  const std::string how = signal == 0 ? "ended with exit code " + std::to_string(code)
                                      : "ended by " + signal_text(signal);
  return {.status = Status::kCrashed,
          .error = how + " and left no record" + place_of(end) +
                   (words.empty() ? "" : "; its last words: " + words)};
}

}  // namespace

bool is_final(Status status) noexcept {
  return status != Status::kInterrupted && status != Status::kCrashed;
}

TaskVerdict verdict_of(const TaskEnd& end) {
  const TaskVerdict as_written{.status = end.written.value_or(Status::kOk),
                               .error = end.written_error};
  if (end.written && is_final(*end.written)) return as_written;
  if (was_over_memory(end)) return over_limit(end, Status::kOutOfMemory);
  if (end.state == JobState::kTimeout) return over_limit(end, Status::kTimedOut);
  if (end.state == JobState::kCancelled || (end.was_cancelled && was_taken_away(end))) {
    return end.written == Status::kInterrupted ? as_written : cancelled(end);
  }
  if (was_taken_away(end)) return taken_away(end);
  if (end.written) return as_written;
  return end.state ? without_record(end) : cancelled(end);
}

std::string lasting_wait(const std::string& reason, const std::string& job_id) {
  const std::string wait = "tasks of Slurm array " + job_id + " wait for a reason that ";
  const bool is_held = reason.find("eld") != std::string::npos || reason.starts_with("JobHold");
  if (is_held) {
    return wait + "does not pass by itself (" + reason + "): release them with `scontrol release " +
           job_id + "`, or stop with Ctrl-C";
  }
  if (!contains_any(reason, kLastingReasons)) return "";
  return wait + "may never pass (" + reason + "): see `scontrol show job " + job_id +
         "`; stop with Ctrl-C and start again with other limits or --sbatch options";
}

}  // namespace runahead::slurm
