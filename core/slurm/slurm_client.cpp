#include "core/slurm/slurm_client.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "core/base/text.h"

namespace runahead::slurm {

namespace {

constexpr std::int64_t kMostTasks = 10'000;  ///< Bounds the task indices in damaged output.
constexpr std::int64_t kDefaultMaxArraySize = 1001;

/// A reason lists nodes, and ProcessSubmitHost keeps half a MiB of an answer: enough for 5,000
/// tasks with this bound, to which squeue also pads.
constexpr const char* kTaskFormat = "--format=%i|%T|%64r";

/// Parts of what sbatch prints if it does not know whether the controller has the script.
constexpr std::array<std::string_view, 5> kUnknownEnds{"timed out", "receive failure", "Zero Bytes",
                                                       "shutdown failure", "not connected"};
/// Parts of what it prints if an array has too many tasks, for the cluster or for the user's limit
/// of submitted jobs.
constexpr std::array<std::string_view, 3> kTooLarge{"Invalid job array", "SubmitJob",
                                                    "job submit limit"};

/// Any other name is the state of a running task.
constexpr std::array<std::pair<std::string_view, JobState>, 21> kStates{{
    {"PENDING", JobState::kPending},
    {"CONFIGURING", JobState::kPending},
    {"REQUEUED", JobState::kPending},
    {"REQUEUE_FED", JobState::kPending},
    {"REQUEUE_HOLD", JobState::kPending},
    {"SPECIAL_EXIT", JobState::kPending},
    {"RESV_DEL_HOLD", JobState::kPending},
    {"POWER_UP_NODE", JobState::kPending},
    {"EXPEDITING", JobState::kPending},
    {"COMPLETED", JobState::kCompleted},
    {"FAILED", JobState::kFailed},
    {"LAUNCH_FAILED", JobState::kFailed},
    {"RECONFIG_FAIL", JobState::kFailed},
    {"CANCELLED", JobState::kCancelled},
    {"TIMEOUT", JobState::kTimeout},
    {"DEADLINE", JobState::kTimeout},
    {"NODE_FAIL", JobState::kNodeFail},
    {"BOOT_FAIL", JobState::kNodeFail},
    {"REVOKED", JobState::kNodeFail},
    {"PREEMPTED", JobState::kPreempted},
    {"OUT_OF_MEMORY", JobState::kOutOfMemory},
}};

JobState state_of(std::string_view name) {
  name = name.substr(0, name.find_first_of(" +"));  // "CANCELLED by 0"
  const auto found = std::find_if(kStates.begin(), kStates.end(),
                                  [&](const auto& entry) { return entry.first == name; });
  return found == kStates.end() ? JobState::kRunning : found->second;
}

/// The text before the first `separator`; `text` keeps what follows it.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return taken;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The number at the beginning of `text`; 0 if there is none.
template <typename Integer>
Integer leading_number(std::string_view text) {
  Integer number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// "sbatch failed: <the last line of its stderr>".
std::string failure_text(const std::string& command, const CommandOutput& output) {
  std::string_view words = trimmed(output.err);
  words = words.substr(words.find_last_of('\n') + 1);
  return "Slurm's " + command + " failed: " +
         (words.empty() ? "exit code " + std::to_string(output.exit_code) : std::string(words));
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool names_unknown_job(const CommandOutput& output) {
  const std::string words = output.err + output.out;
  return contains(words, "Invalid job id") ||
         (contains(words, "Job ") && contains(words, "not found"));
}

/// The value of `key` in a line of "key=value" words.
std::string_view value_of(std::string_view line, std::string_view key) {
  while (!line.empty()) {
    std::string_view value = take_until(line, ' ');
    if (contains(value, "=") && take_until(value, '=') == key) return value;
  }
  return {};
}

/// N of "a=b,max_array_tasks=N".
std::optional<std::int64_t> max_array_tasks(std::string_view parameters) {
  while (!parameters.empty()) {
    std::string_view value = trimmed(take_until(parameters, ','));
    if (take_until(value, '=') == "max_array_tasks") return leading_number<std::int64_t>(value);
  }
  return std::nullopt;
}

/// The output of a command that succeeded; `out` is empty if the job is unknown.
CommandOutput ask(SubmitHost& host, const std::vector<std::string>& command) {
  CommandOutput output = host.call(command);
  if (output.exit_code == 0) return output;
  if (names_unknown_job(output)) return {};
  throw NoAnswerError(failure_text(command.front(), output));
}

}  // namespace

bool has_ended(JobState state) noexcept {
  return state != JobState::kPending && state != JobState::kRunning;
}

bool contains_any(std::string_view text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return contains(text, part); });
}

std::int64_t SlurmClient::max_array_size() {
  const CommandOutput output = host_.call({"scontrol", "show", "config"});
  if (output.exit_code != 0) {
    throw UnavailableError(failure_text("scontrol show config", output) +
                           "; see `sinfo`, or use --launcher local");
  }
  std::int64_t size = kDefaultMaxArraySize;
  std::optional<std::int64_t> most_tasks;
  std::string_view text = output.out;
  while (!text.empty()) {
    std::string_view line = take_until(text, '\n');
    const std::string_view key = trimmed(take_until(line, '='));
    if (key == "MaxArraySize") size = leading_number<std::int64_t>(trimmed(line));
    if (key == "SchedulerParameters") most_tasks = max_array_tasks(line);
  }
  if (size < 2) {
    throw UnavailableError("this Slurm allows no job arrays (MaxArraySize is " +
                           std::to_string(size) + "); use --launcher local");
  }
  return std::clamp<std::int64_t>(most_tasks.value_or(size), 1, size);
}

std::string SlurmClient::submit(const std::filesystem::path& script) {
  const CommandOutput output = host_.call({"sbatch", "--parsable", script.string()});
  if (output.exit_code != 0) {
    const std::string failure = failure_text("sbatch", output);
    if (output.exit_code < 0 || contains_any(output.err, kUnknownEnds)) throw Error(failure);
    throw RejectedError(failure, contains_any(output.err, kTooLarge));
  }
  std::string_view printed = trimmed(output.out);  // "12", or "12;cluster".
  const std::string_view id = take_until(printed, ';');
  if (!is_number(id)) throw Error("Slurm's sbatch printed no job id: '" + output.out + "'");
  return std::string(id);
}

std::optional<std::string> SlurmClient::find_array(const std::string& name) {
  const CommandOutput output =
      ask(host_, {"squeue", "--noheader", "--states=all", "--name=" + name, "--format=%F"});
  std::string_view lines = output.out;
  const std::string_view id = trimmed(take_until(lines, '\n'));
  return is_number(id) ? std::optional(std::string(id)) : std::nullopt;
}

QueuedTasks SlurmClient::tasks_of(const std::string& job_id) {
  const CommandOutput output = ask(
      host_, {"squeue", "--noheader", "--array", "--states=all", "--jobs=" + job_id, kTaskFormat});
  QueuedTasks tasks;
  std::string_view text = output.out;
  while (!text.empty() && std::cmp_less(tasks.size(), kMostTasks)) {
    std::string_view line = take_until(text, '\n');
    std::string_view task = take_until(line, '|');
    const std::string_view state = take_until(line, '|');
    take_until(task, '_');
    // Plugin warnings are lines in other formats.
    const std::int64_t index = leading_number<std::int64_t>(task);
    if (!is_number(task) || index >= kMostTasks || state.empty()) continue;
    tasks[index] = {.state = state_of(state), .reason = std::string(trimmed(line))};
  }
  return tasks;
}

std::optional<JobDetail> SlurmClient::detail_of(const std::string& job_id, std::int64_t task) {
  const CommandOutput output =
      ask(host_, {"scontrol", "--oneliner", "show", "job", job_id + "_" + std::to_string(task)});
  std::string_view text = output.out;
  const std::string_view line = take_until(text, '\n');
  if (value_of(line, "JobState").empty()) return std::nullopt;
  std::string_view exit = value_of(line, "ExitCode");
  const int exit_code = leading_number<int>(take_until(exit, ':'));
  return JobDetail{.node = std::string(value_of(line, "BatchHost")),
                   .time_limit = std::string(value_of(line, "TimeLimit")),
                   .memory_limit = std::string(value_of(line, "MinMemoryNode")),
                   .exit_code = exit_code,
                   .signal = leading_number<int>(exit)};
}

void SlurmClient::cancel(const std::string& job_id) {
  const CommandOutput output = host_.call({"scancel", job_id});
  const bool has_ended_before = contains(output.err, "already completing or completed") ||
                                contains(output.err, "Job/step already");
  if (output.exit_code != 0 && !has_ended_before && !names_unknown_job(output)) {
    throw NoAnswerError(failure_text("scancel", output));
  }
}

}  // namespace runahead::slurm
