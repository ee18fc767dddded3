#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace runahead::apps {

/// A subcommand that has added itself to the program's parser.
struct Command {
  CLI::App* parser = nullptr;           ///< Owned by the program's parser.
  std::function<ExitCode()> execute{};  ///< Throws runahead::Error.
  /// Returns the JSON pointer with which `--set` changes a key of the command's config, or nullopt
  /// for a key that configs do not have. Empty if the command takes no config.
  std::function<std::optional<std::string>(const std::string&)> place_of_key{};
  /// Maps each required argument to the error message if it is missing.
  std::map<std::string, std::string> missing{};
};

/// Adds the option `--set`, which may be repeated, to a command that takes a config.
/// @param about  Its help text.
void add_set_option(CLI::App& command, std::vector<std::string>& sets,
                    const std::string& about =
                        "Change a config value, as in --set /batches=3 (repeatable; a value that "
                        "is not JSON is a string)");

/// Refuses a whole number outside the range of `option`.
void require_range(CLI::Option& option, std::int64_t least, std::int64_t most);

/// Adds the option `--fail-if`, which may be repeated (record::parse_condition).
void add_fail_if_option(CLI::App& command, std::vector<std::string>& conditions);

/// Reports which conditions of `--fail-if` a run failed. @return kBoundPassed if it failed any and
/// was not interrupted, otherwise `code`.
[[nodiscard]] ExitCode with_bounds(ExitCode code, const std::vector<std::string>& failures);

/// The exit code of the process. For kInterrupted, that of the signal.
[[nodiscard]] int to_status(ExitCode code) noexcept;

/// Parses the command line and executes the command that was chosen. Every error becomes one line
/// on stderr, including errors in the command line and failed writes to stdout
/// (with_stdout_checked). A standard stream that is closed becomes /dev/null.
/// @return The exit code of the process.
[[nodiscard]] int run_program(CLI::App& program, const std::vector<Command>& commands, int argc,
                              char** argv);

/// Replaces this process with `program`, with the same streams; signals and the exit code are the
/// program's own. Does not return. @throws UnavailableError if it cannot be executed.
[[noreturn]] void become(const std::filesystem::path& program,
                         const std::vector<std::string>& arguments);

}  // namespace runahead::apps
