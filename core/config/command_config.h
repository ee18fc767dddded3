#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/json_reader.h"

namespace runahead::config {

/// The command of the kind `program`, with placeholders such as `{batch_size}` in its words and in
/// the values of its environment. No shell interprets it.
struct CommandConfig {
  std::vector<std::string> words{};           ///< The program and its arguments.
  std::map<std::string, Json> arguments{};    ///< Values of placeholders: text, numbers, flags.
  std::map<std::string, Json> environment{};  ///< Variables in addition to those of this process.
};

/// The placeholder that needs no argument: the folder with the project's scripts and configs.
inline constexpr const char* kHomePlaceholder = "runahead_home";

/// Environment variable of each command: the folder into which it may write a record of its own.
inline constexpr const char* kRecordVariable = "RUNAHEAD_RECORD";
/// Another one: whether that record has a timeline.
inline constexpr const char* kTraceVariable = "RUNAHEAD_RECORD_TRACE";

/// What a command is called with.
struct CommandLine {
  std::vector<std::string> words{};
  std::map<std::string, std::string> environment{};
};

/// The command with its placeholders filled in: text unchanged, numbers as in JSON, `true` and
/// `false`. `{{name}}` is the text `{name}`; other braces stand for themselves.
/// @param command  Must have passed check().
[[nodiscard]] CommandLine fill_in(const CommandConfig& command, const std::string& home);

/// Whether `name` is valid for an argument or a variable: letters, digits and underscores, not
/// starting with a digit.
[[nodiscard]] bool is_identifier(const std::string& name);

/// Reports placeholders without an argument, arguments without a placeholder, an empty program, and
/// anything that no command can be called with.
void check(const CommandConfig& command, JsonProblems& problems);

}  // namespace runahead::config
