#include "core/sweep/cell_outcome.h"

#include <signal.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "core/base/bytes.h"
#include "core/base/duration.h"
#include "core/base/error.h"
#include "core/base/interruption.h"
#include "core/base/log.h"
#include "core/record/record_file.h"

namespace runahead::sweep {

namespace {

using record::Status;

struct Outcome {
  Status status = Status::kOk;
  std::string error{};
};

std::string last_words(const ChildEnd& end) {
  return std::string(without_error_prefix(end.last_error_line));
}

Outcome outcome_of_stop(const ChildEnd& end, const ChildLimits& limits) {
  switch (*end.stopped) {
    case StopReason::kTimedOut:
      return {Status::kTimedOut,
              "exceeded its time limit of " + format_duration(limits.wall_seconds.value_or(0))};
    case StopReason::kOutOfMemory:
      return {Status::kOutOfMemory,
              "its resident memory reached " + format_bytes(end.rss_peak_bytes.value_or(0)) +
                  ", over its memory limit of " + format_bytes(limits.rss_bytes.value_or(0))};
    case StopReason::kInterrupted:
      return {Status::kInterrupted, "interrupted by the user"};
  }
  throw UsageError("unknown StopReason");
}

std::string describe_signal(int signal) {
  std::string text = "ended by " + signal_text(signal);
  if (signal == SIGKILL) text += ": killed from outside, perhaps by the kernel for want of memory";
  if (is_interruption(signal)) text += ": another program asked it to stop";
  return text;
}

std::string with_last_line(std::string text, const ChildEnd& end) {
  if (!end.last_error_line.empty()) text += "; its last words: " + last_words(end);
  return text;
}

Outcome outcome_of_signal(const ChildEnd& end) {
  return {is_interruption(*end.signal) ? Status::kInterrupted : Status::kCrashed,
          with_last_line(describe_signal(*end.signal), end)};
}

Outcome outcome_without_record(const ChildEnd& end, const std::string& why_none) {
  const auto code = static_cast<ExitCode>(end.exit_code);
  if (is_interrupted_exit_code(end.exit_code)) return {Status::kInterrupted, "interrupted"};
  const bool said_why = !end.last_error_line.empty();
  if (code == ExitCode::kUnavailable && said_why) return {Status::kSkipped, last_words(end)};
  if ((code == ExitCode::kFailed || code == ExitCode::kUsage) && said_why) {
    return {Status::kFailed, last_words(end)};
  }
  return {Status::kCrashed,
          with_last_line("ended with exit code " + std::to_string(end.exit_code) + ", " + why_none,
                         end)};
}

Outcome outcome_with_record(const ChildEnd& end, const record::Record& written) {
  // Only this process sees the output of a user's command.
  const bool is_a_commands_failure =
      written.status == Status::kFailed && written.results.contains("program");
  if (is_a_commands_failure) return {written.status, with_last_line(*written.error, end)};
  if (end.exit_code == 0 || written.status != Status::kOk) {
    return {written.status, written.error.value_or("")};
  }
  return {Status::kFailed, with_last_line("ended with exit code " + std::to_string(end.exit_code) +
                                              " although its record says ok",
                                          end)};
}

}  // namespace

record::Record outcome_of(const Cell& cell, std::int64_t repeat,
                          const std::filesystem::path& folder, const ChildEnd& end,
                          const ChildLimits& limits) {
  std::optional<record::Record> written;
  std::string why_none;
  try {
    written = record::read_record(folder / "record.json");
  } catch (const Error& error) {
    why_none = error.what();
  }

  Outcome outcome;
  if (end.stopped) {
    outcome = outcome_of_stop(end, limits);
  } else if (end.signal) {
    outcome = outcome_of_signal(end);
  } else if (written) {
    outcome = outcome_with_record(end, *written);
  } else {
    outcome = outcome_without_record(end, why_none);
  }

  if (!written) {
    written =
        record::make_unrun_record(cell.config, repeat, cell.axes, outcome.status, outcome.error);
  }
  written->id = cell.id;
  written->repeat = repeat;
  written->axes = cell.axes;
  written->status = outcome.status;
  written->error = outcome.error.empty() ? std::nullopt : std::optional(outcome.error);
  return *written;
}

bool was_ended_from_outside(const ChildEnd& end) {
  if (end.stopped) return false;
  if (!end.signal) return is_interrupted_exit_code(end.exit_code);
  return is_from_outside(*end.signal);
}

bool lacked_disk_space(const record::Record& record) {
  if (record.status == Status::kOk || !record.error) return false;
  // The system's own error text, which a failed write passes on.
  return record.error->find(std::strerror(ENOSPC)) != std::string::npos ||
         record.error->find(std::strerror(EDQUOT)) != std::string::npos;
}

}  // namespace runahead::sweep
