#include "core/slurm/slurm_client.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/base/error.h"

namespace runahead::slurm {

namespace {

/// Words on a command line; a list of all tasks of an array could be too long for one.
constexpr std::size_t kCancelAtOnce = 200;

bool has_ended_well(const CommandOutput& output) { return output.exit_code == 0; }

/// What the commands say of a job that they do not know (any more).
bool says_unknown_job(const CommandOutput& output) {
  const std::string words = output.err + output.out;
  return words.find("Invalid job id") != std::string::npos ||
         (words.find("Job ") != std::string::npos && words.find("not found") != std::string::npos);
}

/// As scancel says of what needs no cancelling.
bool says_already_ended(const CommandOutput& output) {
  return output.err.find("already completing or completed") != std::string::npos ||
         output.err.find("Job/step already") != std::string::npos;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// The last line that a command wrote to stderr, or how it ended.
std::string last_words_of(const CommandOutput& output) {
  const std::string_view words = trimmed(output.err);
  if (words.empty()) return "exit code " + std::to_string(output.exit_code);
  return std::string(words.substr(words.find_last_of('\n') + 1));
}

std::string words_of(const std::string& command, const CommandOutput& output) {
  return "Slurm's " + command + " said: " + last_words_of(output);
}

void require_cancelled(const CommandOutput& output) {
  if (has_ended_well(output) || says_unknown_job(output) || says_already_ended(output)) return;
  throw NoAnswerError(words_of("scancel", output));
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The value of a line "MaxArraySize            = 1001".
std::optional<std::int64_t> setting_of(std::string_view text, std::string_view name) {
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    start = end + 1;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || trimmed(line.substr(0, equals)) != name) continue;
    const std::string_view digits = trimmed(line.substr(equals + 1));
    std::int64_t value = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (parsed.ec == std::errc{}) return value;
  }
  return std::nullopt;
}

std::string task_name(const std::string& job_id, std::int64_t task) {
  return job_id + "_" + std::to_string(task);
}

}  // namespace

CommandOutput SlurmClient::ask(const std::vector<std::string>& command) {
  CommandOutput output = host_.call(command);
  if (has_ended_well(output) || says_unknown_job(output)) return output;
  throw NoAnswerError(words_of(command.front(), output));
}

std::int64_t SlurmClient::max_array_size() {
  const CommandOutput output = host_.call({"scontrol", "show", "config"});
  if (!has_ended_well(output)) {
    throw UnavailableError("Slurm does not answer (scontrol show config: " + last_words_of(output) +
                           "): ask `sinfo` what is wrong, or use --launcher local");
  }
  const std::optional<std::int64_t> size = setting_of(output.out, "MaxArraySize");
  if (size && *size < 2) {
    throw UnavailableError("this Slurm takes no job arrays (MaxArraySize is " +
                           std::to_string(*size) + "); use --launcher local");
  }
  constexpr std::int64_t kSlurmsDefault = 1001;
  return size.value_or(kSlurmsDefault);
}

std::string SlurmClient::submit(const std::filesystem::path& script) {
  const CommandOutput output = host_.call({"sbatch", "--parsable", script.string()});
  if (!has_ended_well(output)) throw Error(words_of("sbatch", output));
  // "12", or "12;cluster".
  const std::string_view first = trimmed(output.out);
  const std::string_view id = first.substr(0, first.find(';'));
  if (!is_number(id)) {
    throw Error("Slurm's sbatch printed '" + std::string(first) + "', which is no job id");
  }
  return std::string(id);
}

std::optional<std::string> SlurmClient::find_array(const std::string& name) {
  const CommandOutput output =
      ask({"squeue", "--noheader", "--states=all", "--name=" + name, "--format=%F"});
  const std::string_view lines = output.out;
  const std::string_view first = trimmed(lines.substr(0, lines.find('\n')));
  if (!has_ended_well(output) || !is_number(first)) return std::nullopt;
  return std::string(first);
}

QueuedTasks SlurmClient::tasks_of(const std::string& job_id) {
  const CommandOutput output = ask({"squeue", "--noheader", "--array", "--states=all",
                                    "--jobs=" + job_id, std::string("--format=") + kSqueueFormat});
  return has_ended_well(output) ? parse_squeue(output.out) : QueuedTasks{};
}

std::optional<JobDetail> SlurmClient::detail_of(const std::string& job_id, std::int64_t task) {
  const CommandOutput output =
      ask({"scontrol", "--oneliner", "show", "job", task_name(job_id, task)});
  return has_ended_well(output) ? parse_job_detail(output.out) : std::nullopt;
}

void SlurmClient::cancel(const std::string& job_id) {
  require_cancelled(host_.call({"scancel", job_id}));
}

void SlurmClient::cancel(const std::string& job_id, const std::vector<std::int64_t>& tasks) {
  for (std::size_t start = 0; start < tasks.size(); start += kCancelAtOnce) {
    std::vector<std::string> command{"scancel"};
    const std::size_t end = std::min(start + kCancelAtOnce, tasks.size());
    for (std::size_t index = start; index < end; ++index) {
      command.push_back(task_name(job_id, tasks[index]));
    }
    require_cancelled(host_.call(command));
  }
}

}  // namespace runahead::slurm
