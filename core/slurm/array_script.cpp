#include "core/slurm/array_script.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/sweep/shard.h"

namespace runahead::slurm {

namespace {

constexpr double kMarginSeconds = 10.0;
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kLeastMarginBytes = 64 * kMebibyte;
constexpr std::uint64_t kMarginDivisor = 8;

/// The options that the launcher sets itself, long and short.
constexpr std::array<std::string_view, 10> kOwnOptions{
    "array", "output",    "error",    "job-name", "wrap",
    "wait",  "open-mode", "parsable", "clusters", "test-only"};
/// The environment variables that set them; they have priority over a script's options.
constexpr std::array<std::string_view, 8> kOwnVariables{
    "SBATCH_ARRAY_INX", "SBATCH_OUTPUT",    "SBATCH_ERROR",    "SBATCH_JOB_NAME",
    "SBATCH_WAIT",      "SBATCH_OPEN_MODE", "SBATCH_CLUSTERS", "SLURM_CLUSTERS"};
constexpr std::array<std::string_view, 3> kFilters{"SQUEUE_", "SCANCEL_", "SCONTROL_"};
constexpr std::string_view kOwnLetters = "aoeJWM";
/// sbatch's short options without a value; more letters may follow in the same word.
constexpr std::string_view kFlagLetters = "HhIkOQsuvV";
constexpr std::string_view kBlank = " \t\v\f";

/// Whether "-a0-3", "-Ha 0-3" or the like sets one of the launcher's options.
bool has_own_letter(std::string_view letters) {
  for (const char letter : letters) {
    if (kOwnLetters.find(letter) != std::string_view::npos) return true;
    if (kFlagLetters.find(letter) == std::string_view::npos) return false;
  }
  return false;
}

/// "mem" of "--mem=4G".
std::string_view long_name(std::string_view option) {
  return option.substr(2, option.find_first_of("= \t\v\f") - 2);
}

/// Whether it is `--mem`, `--mem-per-cpu` or `--mem-per-gpu`, of which sbatch accepts only one; not
/// `--mem-bind`. sbatch refuses shorter abbreviations, which are ambiguous.
bool is_memory_option(std::string_view option) {
  if (!option.starts_with("--")) return false;
  const std::string_view name = long_name(option);
  return name == "mem" || name.starts_with("mem-per");
}

/// Accepts `--name=value`, `--name value`, `-n value` and `-nvalue`.
bool is_own_option(std::string_view option) {
  if (!option.starts_with("--")) return has_own_letter(option.substr(1));
  const std::string_view name = long_name(option);
  // sbatch accepts abbreviated names.
  return std::ranges::any_of(kOwnOptions,
                             [&](std::string_view own) { return own.starts_with(name); });
}

/// Whether `option` is an option followed by at most one word that is not an option.
bool is_one_option(std::string_view option) {
  if (!option.starts_with('-') || option.find_first_of("\n\r") != std::string_view::npos) {
    return false;
  }
  const std::size_t end = option.find_first_of(kBlank);
  if (end == std::string_view::npos) return true;
  const std::string_view value = option.substr(end + 1);
  return !value.starts_with('-') && value.find_first_of(kBlank) == std::string_view::npos;
}

/// The value of `--output`, in which Slurm replaces "%a" and the like.
std::string output_pattern(const std::filesystem::path& folder) {
  return '"' + with_replacements(folder.string(), {{'%', "%%"}}) + "/task-%a.out\"";
}

/// Minutes, the unit of `--time`, including ten seconds to start and end the cell.
std::int64_t time_limit_minutes(double timeout_seconds) {
  return static_cast<std::int64_t>(std::ceil((timeout_seconds + kMarginSeconds) / 60.0));
}

/// MiB, the unit of `--mem`, with an eighth but at least 64 MiB added for `sweep --shard` itself
/// and for memory that RSS does not show.
std::uint64_t memory_mebibytes(std::uint64_t memory_limit_bytes) {
  const std::uint64_t margin_bytes =
      std::max(kLeastMarginBytes, memory_limit_bytes / kMarginDivisor);
  return (memory_limit_bytes + margin_bytes + kMebibyte - 1) / kMebibyte;
}

/// "{0..4} 7", which bash expands.
std::string ranges_of(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t first = 0, last = 0; first < numbers.size(); first = last + 1) {
    last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    const std::string begin = std::to_string(numbers[first]);
    text += first == 0 ? "" : " ";
    text += first == last ? begin : "{" + begin + ".." + std::to_string(numbers[last]) + "}";
  }
  return text;
}

}  // namespace

std::string text_of(const ArrayScript& script) {
  require_folder_for_slurm(script.folder);
  const SlurmOptions& options = script.options;
  const TaskNeeds& needs = options.needs;
  std::string text = "#!/bin/bash\n";
  const auto add = [&](const std::string& option) { text += "#SBATCH " + option + "\n"; };

  add("--job-name=" + script.name);
  add("--array=0-" + std::to_string(script.shards.size() - 1) +
      (options.at_once ? "%" + std::to_string(*options.at_once) : ""));
  add("--output=" + output_pattern(script.folder));
  // A requeued task keeps its earlier output.
  add("--open-mode=append");
  add("--requeue");
  add("--cpus-per-task=" + std::to_string(script.cpus));
  if (needs.memory_limit_bytes && std::ranges::none_of(needs.options, is_memory_option)) {
    add("--mem=" + std::to_string(memory_mebibytes(*needs.memory_limit_bytes)) + "M");
  }
  if (needs.timeout_seconds) {
    add("--time=" + std::to_string(time_limit_minutes(*needs.timeout_seconds)));
  }
  for (const std::string& option : needs.options) add(option);

  text += "export RUNAHEAD_CELL=" + shell_quoted(options.cell_program.string()) + "\n";
  text += std::string("export ") + sweep::kAwaitedShard + "=1\n";
  text += "shards=(" + ranges_of(script.shards) + ")\n";
  // With exec, Slurm's signals reach the program instead of a shell.
  text += "exec " + shell_quoted(options.runahead.string()) + " sweep " +
          shell_quoted((script.folder / "sweep.json").string()) + " --out " +
          shell_quoted(options.folder.string()) + " --jobs 1";
  for (const std::string& status : options.retry) text += " --retry=" + status;
  if (options.shows_progress) text += " --progress";
  text +=
      " --shard \"${shards[$SLURM_ARRAY_TASK_ID]}/" + std::to_string(script.shard_count) + "\"\n";
  return text;
}

void require_folder_for_slurm(const std::filesystem::path& folder) {
  if (folder.string().find_first_of("\"\\\n\r") == std::string::npos) return;
  throw ConfigError("--out: found " + folder.string() +
                    "; allowed with --launcher slurm: a folder whose name has no quotes, "
                    "backslashes and line ends");
}

bool overrides_launcher(std::string_view variable) {
  return std::ranges::find(kOwnVariables, variable) != kOwnVariables.end() ||
         std::ranges::any_of(kFilters, [&](auto prefix) { return variable.starts_with(prefix); });
}

void require_sbatch_option(const std::string& option) {
  if (!is_one_option(option)) {
    throw ConfigError("--sbatch: found '" + option +
                      "'; allowed: one option of sbatch, as --sbatch=--partition=gpu; give "
                      "--sbatch again for each more");
  }
  if (is_own_option(option)) {
    throw ConfigError("--sbatch: found '" + option +
                      "', which the launcher sets itself; allowed: any other option of sbatch");
  }
}

}  // namespace runahead::slurm
