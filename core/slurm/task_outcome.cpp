#include "core/slurm/task_outcome.h"

#include <signal.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "core/base/error.h"

namespace runahead::slurm {

namespace {

using record::Status;

/// slurmstepd's words for a task that it, or the kernel, killed for its memory.
constexpr std::array<std::string_view, 4> kMemoryWords{"exceeded memory limit", "oom-kill",
                                                       "oom_kill", "OOM Killed"};

bool was_over_memory(const TaskEnd& end) {
  if (end.state == JobState::kOutOfMemory) return true;
  if (end.state != JobState::kFailed) return false;
  return std::any_of(kMemoryWords.begin(), kMemoryWords.end(), [&](std::string_view words) {
    return end.output_end.find(words) != std::string::npos;
  });
}

/// "Slurm task 12_3 on node1".
std::string place_of(const TaskEnd& end) {
  std::string place = "Slurm task " + end.name;
  if (end.detail && !end.detail->node.empty()) place += " on " + end.detail->node;
  return place;
}

/// The last line of what was printed, without what logs put before theirs.
std::string last_line_of(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  constexpr std::string_view kLogPrefix = "runahead: error: ";
  const std::size_t last = text.find_last_not_of(kBlank);
  if (last == std::string_view::npos) return "";
  text = text.substr(0, last + 1);
  text = text.substr(text.find_last_of('\n') + 1);
  return std::string(text.starts_with(kLogPrefix) ? text.substr(kLogPrefix.size()) : text);
}

/// Limits are named as Slurm has them, which has a margin and may have been given others.
TaskVerdict over_memory(const TaskEnd& end) {
  std::string error = "Slurm ended it for its memory";
  if (end.detail && !end.detail->memory_limit.empty()) {
    error += ", over its limit of " + end.detail->memory_limit;
  }
  return {.status = Status::kOutOfMemory, .error = error + " (" + place_of(end) + ")"};
}

TaskVerdict over_time(const TaskEnd& end) {
  std::string error = "Slurm ended it at its time limit";
  if (end.detail && !end.detail->time_limit.empty()) error += " of " + end.detail->time_limit;
  return {.status = Status::kTimedOut, .error = error + " (" + place_of(end) + ")"};
}

TaskVerdict taken_away(const TaskEnd& end) {
  const char* why = end.state == JobState::kPreempted ? "it was preempted" : "its node failed";
  return {.was_taken_away = true,
          .status = Status::kCrashed,
          .error = std::string(why) + " (" + place_of(end) + ")"};
}

/// By somebody, or as its node was taken away while it was being cancelled.
bool was_cancelled(const TaskEnd& end) {
  if (!end.state) return false;
  return *end.state == JobState::kCancelled || (end.was_cancelled && was_taken_away(*end.state));
}

TaskVerdict cancelled(const TaskEnd& end) {
  const char* why = end.state ? "cancelled in Slurm"
                              : "Slurm does not know it any more and it left no result: cancelled "
                                "while it was waiting, or ended too long ago";
  return {.status = Status::kInterrupted, .error = std::string(why) + " (" + place_of(end) + ")"};
}

std::string signal_words(int signal) {
  const char* name = ::sigabbrev_np(signal);
  std::string text = "ended by signal " + std::to_string(signal);
  if (name != nullptr) text += std::string(" (SIG") + name + ")";
  return text;
}

/// The task ended by itself, or was killed by something that is not Slurm, and left nothing.
TaskVerdict without_result(const TaskEnd& end) {
  const std::string words = last_line_of(end.output_end);
  const int code = end.detail ? end.detail->exit_code : 0;
  const int signal = end.detail ? end.detail->signal : 0;
  const std::string place = " (" + place_of(end) + ")";
  if (signal == 0 && !words.empty()) {
    if (code == static_cast<int>(ExitCode::kUnavailable)) {
      return {.status = Status::kSkipped, .error = words + place};
    }
    if (code == static_cast<int>(ExitCode::kFailed) || code == static_cast<int>(ExitCode::kUsage)) {
      return {.status = Status::kFailed, .error = words + place};
    }
  }
  std::string error = signal != 0
                          ? signal_words(signal) + " and left no result"
                          : "ended with exit code " + std::to_string(code) + " and left no result";
  error += place;
  if (!words.empty()) error += "; its last words: " + words;
  return {.status = Status::kCrashed, .error = error};
}

}  // namespace

bool is_last_word(Status status) noexcept {
  return status != Status::kInterrupted && status != Status::kCrashed;
}

TaskVerdict verdict_of(const TaskEnd& end) {
  const TaskVerdict as_written{.status = end.written.value_or(Status::kOk),
                               .error = end.written_error};
  if (end.written && is_last_word(*end.written)) return as_written;
  if (was_over_memory(end)) return over_memory(end);
  if (end.state == JobState::kTimeout) return over_time(end);
  if (was_cancelled(end)) return end.written == Status::kInterrupted ? as_written : cancelled(end);
  if (end.state && was_taken_away(*end.state)) return taken_away(end);
  if (!end.state) return end.written ? as_written : cancelled(end);
  return end.written ? as_written : without_result(end);
}

}  // namespace runahead::slurm
