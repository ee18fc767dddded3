#include "apps/program/program.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <boost/system/system_error.hpp>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <limits>
#include <new>
#include <system_error>

#include "apps/program/standard_streams.h"
#include "core/base/file.h"
#include "core/base/interruption.h"
#include "core/base/log.h"
#include "core/base/text.h"

namespace runahead::apps {

namespace {

std::vector<std::string> names_of(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) {
    if (!command.parser->get_group().empty()) names.push_back(command.parser->get_name());
  }
  return names;
}

/// Rejects a first word that is not a command. CLI11 would only report it as unexpected.
void check_command(const std::vector<Command>& commands, const std::string& word) {
  for (const Command& command : commands) {
    if (command.parser->get_name() == word) return;
  }
  const std::vector<std::string> names = names_of(commands);
  const std::string* nearest = nearest_name(word, names);
  throw ConfigError("'" + word + "' is not a command; " +
                    (nearest == nullptr ? "the" : "did you mean " + *nearest + "? The") +
                    " commands are: " + joined(names, ", "));
}

/// The command that was chosen, if one was.
const Command* chosen(const std::vector<Command>& commands) {
  const auto found = std::find_if(commands.begin(), commands.end(),
                                  [](const Command& command) { return command.parser->parsed(); });
  return found == commands.end() ? nullptr : &*found;
}

/// The command that was chosen; the program itself if none was.
const CLI::App& chosen(const CLI::App& program) {
  const auto commands = program.get_subcommands();
  return commands.empty() ? program : *commands.front();
}

/// The text of the error for an unknown option.
/// @param value    The value given for it.
/// @param command  nullptr if none was chosen.
std::string describe_unknown_option(const CLI::App& parser, const std::string& option,
                                    const std::string& value = "VALUE",
                                    const Command* command = nullptr) {
  std::vector<std::string> names;
  for (const CLI::Option* known : parser.get_options()) {
    for (const std::string& name : known->get_lnames()) names.push_back("--" + name);
  }
  const std::string* nearest = nearest_name(option, names);
  std::string text = "there is no option " + option;
  if (nearest != nullptr) text += "; did you mean " + *nearest + "?";
  if (nearest == nullptr && parser.get_option_no_throw("command") != nullptr) {
    text += "; options of the command go after --";
  }
  const bool takes_config = command != nullptr && command->place_of_key;
  if (nearest == nullptr && takes_config && option.starts_with("--")) {
    std::string key = option.substr(2);
    std::replace(key.begin(), key.end(), '-', '_');
    if (const auto place = command->place_of_key(key)) {
      text += "; change a key of the config with --set " + *place + "=" + value;
    }
  }
  return text;
}

/// Describes how many arguments the chosen command takes.
std::string describe_arguments(const CLI::App& program) {
  const CLI::App& command = chosen(program);
  std::vector<const CLI::Option*> arguments = command.get_options();
  std::erase_if(arguments, [](const CLI::Option* option) { return !option->get_positional(); });
  const bool is_config = arguments.size() == 1 && arguments.front()->get_name() == "config";
  return "`" + program.get_name() + " " + command.get_name() + "` takes " +
         (arguments.empty() ? "no arguments"
          : is_config       ? "one config"
                            : "one argument");
}

/// Describes unexpected arguments. @param words  The command line without the program.
std::string describe_extras(const CLI::App& program, const std::vector<Command>& commands,
                            const std::vector<std::string>& words) {
  const std::vector<std::string> extras = program.remaining(/*recurse=*/true);
  for (auto at = words.begin(); at != words.end(); ++at) {
    const std::string& word = *at;
    const auto extra = std::find(extras.begin(), extras.end(), word);
    if (extra == extras.end()) continue;
    if (word.starts_with("-")) {
      const std::size_t equals = word.find('=');
      const auto next = at + 1;  // Its value, unless the command took that or it is an option.
      const bool has_next = next != words.end() && extra + 1 != extras.end() &&
                            *next == *(extra + 1) && !next->starts_with("--");
      const std::string value = equals != std::string::npos ? word.substr(equals + 1)
                                : has_next                  ? *next
                                                            : "VALUE";
      return describe_unknown_option(chosen(program), word.substr(0, equals), value,
                                     chosen(commands));
    }
    return "unexpected argument '" + word + "'; " + describe_arguments(program);
  }
  return "an argument is too many";
}

/// Whether there is an argument that looks like an option and that no command takes.
bool has_unknown_option(const CLI::App& program) {
  const std::vector<std::string> extras = program.remaining(/*recurse=*/true);
  return std::any_of(extras.begin(), extras.end(),
                     [](const std::string& word) { return word.starts_with("-") && word != "--"; });
}

/// Rewords CLI11's errors about an option's value, "--set: 1 required TEXT missing" and "kind: x
/// not in {a,b}", to match the other errors.
std::string describe_value(const std::string& message) {
  const std::size_t colon = message.find(": ");
  if (colon == std::string::npos) return message;
  const std::string option = message.substr(0, colon);
  if (message.ends_with(" missing")) return option + " needs a value";
  const std::size_t list = message.find(" not in {");
  if (list == std::string::npos) return message;
  std::string allowed;
  for (const char letter : message.substr(list + std::string(" not in {").size())) {
    if (letter == ',') allowed += ", ";
    if (letter != ',' && letter != '}') allowed += letter;
  }
  return option + ": found '" + message.substr(colon + 2, list - colon - 2) +
         "'; allowed: " + allowed;
}

/// Replaces "config is required" with the command's own message.
std::string describe_missing(const Command* command, const std::string& message) {
  const std::string name = message.substr(0, message.find(" is required"));
  if (command != nullptr && command->missing.contains(name)) return command->missing.at(name);
  return name.starts_with("-") ? name + " is missing" : "no " + name + " given";
}

/// Rewords "Could not convert: --rate = x" to match the other errors.
std::string describe_conversion(const CLI::App& command, const std::string& message) {
  const std::size_t name = message.find("--");
  const std::size_t equals = message.find(" = ", name);
  if (name == std::string::npos || equals == std::string::npos) return message;
  const std::string option = message.substr(name, equals - name);
  const CLI::Option* known = command.get_option_no_throw(option);
  const bool is_real = known != nullptr && known->get_type_name().find("FLOAT") == 0;
  return option + ": found '" + message.substr(equals + 3) +
         "'; allowed: " + (is_real ? "a number" : "a whole number");
}

std::string describe(const CLI::ParseError& error, const CLI::App& program,
                     const std::vector<Command>& commands, const std::vector<std::string>& words) {
  const bool is_without_command = program.get_subcommands().empty();
  if (is_without_command && !words.empty()) return describe_unknown_option(program, words.front());
  if (is_without_command)
    return "no command; the commands are: " + joined(names_of(commands), ", ");
  const bool lacks_an_argument = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
      (lacks_an_argument && has_unknown_option(program))) {
    return describe_extras(program, commands, words);
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    return describe_conversion(chosen(program), error.what());
  }
  if (lacks_an_argument) return describe_missing(chosen(commands), error.what());
  return describe_value(error.what());
}

/// Whether the text is a number outside the range. CLI11 would use the nearest one of 64 bits.
bool is_outside(const std::string& text, std::int64_t least, std::int64_t most) {
  std::int64_t number = least;
  const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto parsed = std::from_chars(begin, text.data() + text.size(), number);
  return parsed.ec == std::errc::result_out_of_range || number < least || number > most;
}

/// Whether it would be read as octal, binary or hexadecimal.
bool has_leading_zero(const std::string& text) {
  const std::size_t sign = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  return text.size() > sign + 1 && text[sign] == '0';
}

std::string check_whole_number(const std::string& text) {
  if (!text.empty() && text[0] <= ' ') return "found '" + text + "'; allowed: no blanks before it";
  if (has_leading_zero(text)) return "found " + text + "; allowed: decimals without leading zeros";
  using Limits = std::numeric_limits<std::int64_t>;
  return is_outside(text, Limits::min(), Limits::max()) ? "found " + text + ", which is too large"
                                                        : "";
}

void check_whole_numbers(CLI::App& command) {
  for (CLI::Option* option : command.get_options(
           [](CLI::Option* known) { return known->get_type_name().starts_with("INT"); })) {
    option->check(CLI::Validator(check_whole_number, ""));
  }
}

/// Rejects "", which the commands take for an option that was not given.
void check_texts(CLI::App& command) {
  for (CLI::Option* option : command.get_options([](CLI::Option* known) {
         return !known->get_positional() && known->get_type_name() == "TEXT";
       })) {
    option->check(CLI::Validator(
        [](const std::string& text) { return text.empty() ? "found ''; give a value" : ""; }, ""));
  }
}

/// "runahead sweep --help" after an error of `sweep`.
std::string help_of(const CLI::App& program) {
  const std::string command = program.get_subcommands().empty() ? "" : chosen(program).get_name();
  return program.get_name() + (command.empty() ? "" : " " + command) + " --help";
}

std::string describe(const std::filesystem::filesystem_error& error) {
  // The only function here that names no path looks for the folder for temporary files.
  const std::string path = error.path1().string();
  return (path.empty() ? "the folder for temporary files (TMPDIR)" : "'" + path + "'") +
         " cannot be used: " + error.code().message();
}

/// @param error  std::system_error or Boost's, which is a different class.
std::string describe(const auto& error) {
  switch (error.code().value()) {
    case EAGAIN:
      return "the system starts no more threads or processes for this user; end some, or raise the "
             "limit (ulimit -u)";
    case EMFILE:
      return "too many open files; raise the limit (ulimit -n)";
    default:
      return error.code().message();
  }
}

ExitCode parse_and_execute(CLI::App& program, const std::vector<Command>& commands, int argc,
                           char** argv) {
  try {
    if (argc > 1 && *argv[1] != '-') check_command(commands, argv[1]);
    program.parse(argc, argv);
    require_working_folder();
    const Command* command = chosen(commands);
    return command == nullptr ? ExitCode::kUsage : command->execute();
  } catch (const CLI::Success& asked) {  // --help and --version.
    program.exit(asked);
    return ExitCode::kOk;
  } catch (const CLI::ParseError& error) {
    const std::string text = describe(error, program, commands, {argv + 1, argv + argc});
    log_error(text + (text.ends_with('?') ? " See `" : "; see `") + help_of(program) + "`");
    return ExitCode::kUsage;
  } catch (const Error& error) {
    log_error(error.what());
    return error.exit_code();
  } catch (const std::filesystem::filesystem_error& error) {
    log_error(describe(error));
    return ExitCode::kFailed;
  } catch (const std::system_error& error) {
    log_error(describe(error));
    return ExitCode::kFailed;
  } catch (const boost::system::system_error& error) {
    log_error(describe(error));
    return ExitCode::kFailed;
  } catch (const std::bad_alloc&) {
    log_error("the system gives this process no more memory; free some, or raise its limit");
    return ExitCode::kFailed;
  } catch (const std::exception& error) {
    log_error(std::string("unexpected: ") + error.what());
    return ExitCode::kFailed;
  }
}

}  // namespace

int to_status(ExitCode code) noexcept {
  return code == ExitCode::kInterrupted ? interrupted_exit_code() : static_cast<int>(code);
}

void add_set_option(CLI::App& command, std::vector<std::string>& sets, const std::string& about) {
  command.add_option("--set", sets, about)->take_all()->allow_extra_args(false);
}

void require_range(CLI::Option& option, std::int64_t least, std::int64_t most) {
  const std::string allowed = "; allowed: " + std::to_string(least) + " to " + std::to_string(most);
  option.check(CLI::Validator(
      [least, most, allowed](const std::string& text) {
        return is_outside(text, least, most) ? "found " + text + allowed : std::string();
      },
      ""));
}

void add_fail_if_option(CLI::App& command, std::vector<std::string>& conditions) {
  command
      .add_option(
          "--fail-if", conditions,
          "Exit with code 6 if this condition is true, as in 'memory.rss_peak_bytes > 2GiB', or if "
          "its figure was not measured (repeatable; `runahead experiments` lists the figures)")
      ->take_all()
      ->allow_extra_args(false);
}

ExitCode with_bounds(ExitCode code, const std::vector<std::string>& failures) {
  for (const std::string& failure : failures) log_error(failure);
  const bool keeps_code = failures.empty() || is_interrupted_exit_code(static_cast<int>(code));
  return keeps_code ? code : ExitCode::kBoundPassed;
}

int run_program(CLI::App& program, const std::vector<Command>& commands, int argc, char** argv) {
  open_closed_streams();
  program.require_subcommand(1);
  for (const Command& command : commands) {
    // Programs that the command starts inherit the variable.
    command.parser->add_flag_callback(
        "--no-color", [] { ::setenv("NO_COLOR", "1", 1); }, "No colour, as with NO_COLOR=1");
    check_whole_numbers(*command.parser);
    check_texts(*command.parser);
  }
  // With a handler, a write beyond the file size limit, or to a pipe that has lost its reader,
  // fails and does not end the program. Started programs do not inherit handlers.
  for (const int signal : {SIGXFSZ, SIGPIPE}) {
    if (!is_ignored(signal)) ::signal(signal, [](int) {});
  }
  return to_status(with_stdout_checked(parse_and_execute(program, commands, argc, argv)));
}

void become(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  const std::string name = program.string();
  std::vector<char*> argv{const_cast<char*>(name.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::cout.flush();
  ::execv(name.c_str(), argv.data());
  throw UnavailableError("'" + name + "' could not be executed: " + std::strerror(errno));
}

}  // namespace runahead::apps
