#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/json_reader.h"

namespace runahead::config {

/// The command of the kind `program`, with placeholders such as `{batch_size}` in its words and in
/// the values of its environment. No shell reads it.
struct CommandConfig {
  std::vector<std::string> words{};         ///< The program, and what it is called with.
  std::map<std::string, Json> arguments{};  ///< What placeholders stand for: text, numbers, flags.
  std::map<std::string, Json> environment{};  ///< Variables in addition to those of this process.
};

/// The placeholder that needs no argument: the folder with the project's scripts and configs.
inline constexpr const char* kHomePlaceholder = "runahead_home";

/// In the environment of each command: the folder into which it may write a record of its own.
inline constexpr const char* kRecordVariable = "RUNAHEAD_RECORD";

/// What a command is called with.
struct CommandLine {
  std::vector<std::string> words{};
  std::map<std::string, std::string> environment{};
};

/// The command with its placeholders filled in: text as it is, numbers as JSON has them, `true` and
/// `false`. `{{name}}` is the text `{name}`; other braces are themselves.
/// @param command  One that `check` found nothing wrong with.
[[nodiscard]] CommandLine fill_in(const CommandConfig& command, const std::string& home);

/// Whether a name is one of an argument or a variable: letters, digits and underscores, the first
/// no digit.
[[nodiscard]] bool is_identifier(const std::string& name);

/// Adds placeholders without an argument, arguments without a placeholder, an empty program, and
/// what no command can be called with.
void check(const CommandConfig& command, JsonProblems& problems);

}  // namespace runahead::config
