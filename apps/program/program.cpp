#include "apps/program/program.h"

#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <system_error>

#include "core/base/interruption.h"
#include "core/base/log.h"
#include "core/base/nearest.h"

namespace runahead::apps {

namespace {

/// Refuses a first word that is no command: CLI11 would only say that it did not expect it.
void check_command(const std::vector<Command>& commands, const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : commands) {
    if (!command.parser->get_group().empty()) names.push_back(command.parser->get_name());
    if (command.parser->get_name() == word) return;
  }
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  throw ConfigError("found '" + word + "', which is no command; there is: " + list +
                    "; nearest: " + nearest_name(word, names));
}

ExitCode execute_chosen(const std::vector<Command>& commands) {
  for (const Command& command : commands) {
    if (command.parser->parsed()) return command.execute();
  }
  return ExitCode::kUsage;
}

/// "runahead sweep --help" after an error of `sweep`.
std::string help_of(const CLI::App& program) {
  std::string help = program.get_name();
  for (const CLI::App* chosen : program.get_subcommands()) help += " " + chosen->get_name();
  return help + " --help";
}

std::string described(const std::filesystem::filesystem_error& error) {
  return "'" + error.path1().string() + "' cannot be used: " + error.code().message();
}

std::string described(const std::system_error& error) {
  if (error.code() != std::errc::resource_unavailable_try_again) return error.what();
  return "the system starts no more threads or processes for this user; end some, or raise the "
         "limit (ulimit -u)";
}

ExitCode parse_and_execute(CLI::App& program, const std::vector<Command>& commands, int argc,
                           char** argv) {
  try {
    if (argc > 1 && *argv[1] != '-') check_command(commands, argv[1]);
    program.parse(argc, argv);
    return execute_chosen(commands);
  } catch (const CLI::Success& asked) {  // --help and --version.
    program.exit(asked);
    return ExitCode::kOk;
  } catch (const CLI::ParseError& error) {
    log_error(std::string(error.what()) + "; see `" + help_of(program) + "`");
    return ExitCode::kUsage;
  } catch (const Error& error) {
    log_error(error.what());
    return error.exit_code();
  } catch (const std::filesystem::filesystem_error& error) {
    log_error(described(error));
    return ExitCode::kFailed;
  } catch (const std::system_error& error) {
    log_error(described(error));
    return ExitCode::kFailed;
  } catch (const std::bad_alloc&) {
    log_error("the system gives this process no more memory; free some, or raise its limit");
    return ExitCode::kFailed;
  } catch (const std::exception& error) {
    log_error(std::string("unexpected: ") + error.what());
    return ExitCode::kFailed;
  }
}

/// What is lost when stdout cannot be written must not be lost without a word.
ExitCode with_stdout_checked(ExitCode code) {
  errno = 0;
  std::cout.flush();
  if (std::cout) return code;
  log_error("stdout could not be written" +
            (errno != 0 ? ": " + std::string(std::strerror(errno)) : ""));
  return code == ExitCode::kOk ? ExitCode::kFailed : code;
}

}  // namespace

int to_status(ExitCode code) noexcept {
  return code == ExitCode::kInterrupted ? interrupted_exit_code() : static_cast<int>(code);
}

void add_set_option(CLI::App& command, std::vector<std::string>& sets, const std::string& values) {
  command
      .add_option("--set", sets, "Change a value: /json/pointer=value (repeatable; " + values + ")")
      ->take_all()
      ->allow_extra_args(false);
}

int run_program(CLI::App& program, const std::vector<Command>& commands, int argc, char** argv) {
  program.require_subcommand(1);
  return to_status(with_stdout_checked(parse_and_execute(program, commands, argc, argv)));
}

}  // namespace runahead::apps
