#include "core/slurm/array_script.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/base/error.h"

namespace runahead::slurm {

namespace {

constexpr double kMarginSeconds = 10.0;
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t kLeastMarginBytes = 64 * kMebibyte;
constexpr std::uint64_t kMarginDivisor = 8;

/// What the launcher sets and relies on, long and short.
constexpr std::array<std::string_view, 10> kOwnOptions{
    "array", "output",    "error",    "job-name", "wrap",
    "wait",  "open-mode", "parsable", "clusters", "test-only"};
constexpr std::string_view kOwnLetters = "aoeJWM";
/// sbatch's short options without a value, behind which others may stand in the same word.
constexpr std::string_view kFlagLetters = "HhIkOQsuvV";
constexpr std::string_view kBlank = " \t\v\f";

/// Whether "-a0-3", "-Ha 0-3" and the like set an option of the launcher's.
bool has_own_letter(std::string_view letters) {
  for (const char letter : letters) {
    if (kOwnLetters.find(letter) != std::string_view::npos) return true;
    if (kFlagLetters.find(letter) == std::string_view::npos) return false;
  }
  return false;
}

/// Of `--name=value`, `--name value`, `-n value` or `-nvalue`.
bool is_own_option(std::string_view option) {
  if (!option.starts_with("--")) return has_own_letter(option.substr(1));
  const std::string_view name = option.substr(2, option.find_first_of("= \t\v\f") - 2);
  // sbatch takes a name that is cut short.
  return std::any_of(kOwnOptions.begin(), kOwnOptions.end(),
                     [&](std::string_view own) { return own.starts_with(name); });
}

/// An option, and at most one word behind it that is no option.
bool is_one_option(std::string_view option) {
  if (!option.starts_with('-') || option.find_first_of("\n\r") != std::string_view::npos) {
    return false;
  }
  const std::size_t end = option.find_first_of(kBlank);
  if (end == std::string_view::npos) return true;
  const std::string_view value = option.substr(end + 1);
  return !value.starts_with('-') && value.find_first_of(kBlank) == std::string_view::npos;
}

/// For bash.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char character : text) {
    if (character == '\'') {
      result += "'\\''";
    } else {
      result += character;
    }
  }
  return result + "'";
}

/// For Slurm's reading of `--output`, where "%a" and the like are replaced.
std::string output_pattern(const std::filesystem::path& folder) {
  std::string pattern = "\"";
  for (const char character : folder.string()) {
    pattern += character;
    if (character == '%') pattern += '%';
  }
  return pattern + "/task-%a.out\"";
}

}  // namespace

std::int64_t time_limit_minutes(double timeout_seconds) {
  return static_cast<std::int64_t>(std::ceil((timeout_seconds + kMarginSeconds) / 60.0));
}

std::uint64_t memory_mebibytes(std::uint64_t memory_limit_bytes) {
  const std::uint64_t margin_bytes =
      std::max(kLeastMarginBytes, memory_limit_bytes / kMarginDivisor);
  return (memory_limit_bytes + margin_bytes + kMebibyte - 1) / kMebibyte;
}

std::string text_of(const ArrayScript& script) {
  require_folder_for_slurm(script.folder);
  const TaskNeeds& needs = script.needs;
  std::string text = "#!/bin/bash\n";
  const auto add = [&](const std::string& option) { text += "#SBATCH " + option + "\n"; };

  add("--job-name=" + script.name);
  add("--array=0-" + std::to_string(script.tasks - 1) +
      (script.at_once ? "%" + std::to_string(*script.at_once) : ""));
  add("--output=" + output_pattern(script.folder));
  // A task that Slurm starts again keeps what was printed before.
  add("--open-mode=append");
  add("--requeue");
  add("--cpus-per-task=" + std::to_string(needs.cpus));
  if (needs.memory_limit_bytes) {
    add("--mem=" + std::to_string(memory_mebibytes(*needs.memory_limit_bytes)) + "M");
  }
  if (needs.timeout_seconds) {
    add("--time=" + std::to_string(time_limit_minutes(*needs.timeout_seconds)));
  }
  for (const std::string& option : needs.options) add(option);

  text += "export RUNAHEAD_CELL=" + quoted(script.cell_program.string()) + "\n";
  // exec: a signal of Slurm's reaches the program, not a shell in front of it.
  text += "exec " + quoted(script.runahead.string()) + " run-cell " +
          quoted(script.folder.string()) + " \"$SLURM_ARRAY_TASK_ID\"\n";
  return text;
}

void require_folder_for_slurm(const std::filesystem::path& folder) {
  if (folder.string().find_first_of("\"\\\n\r") == std::string::npos) return;
  throw ConfigError("--out: found " + folder.string() +
                    "; allowed with --launcher slurm: a folder without quotes, backslashes and "
                    "line ends in its name, which Slurm cannot take");
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
