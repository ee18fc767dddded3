#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <vector>

#include "apps/cell/command.h"
#include "core/base/error.h"
#include "core/base/log.h"

namespace {

using runahead::ExitCode;
using runahead::cell::Command;

int to_int(ExitCode code) { return static_cast<int>(code); }

ExitCode execute_chosen(const std::vector<Command>& commands) {
  for (const Command& command : commands) {
    if (command.parser->parsed()) return command.execute();
  }
  return ExitCode::kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Runs one experiment; `runahead` starts it.", "runahead-cell");
  program.require_subcommand(1);
  const std::vector<Command> commands{runahead::cell::add_run_command(program),
                                      runahead::cell::add_devices_command(program),
                                      runahead::cell::add_bench_dispatch_command(program)};
  try {
    program.parse(argc, argv);
    return to_int(execute_chosen(commands));
  } catch (const CLI::ParseError& error) {
    // --help arrives here too, with exit code 0.
    return program.exit(error) == 0 ? to_int(ExitCode::kOk) : to_int(ExitCode::kUsage);
  } catch (const runahead::Error& error) {
    runahead::log_error(error.what());
    return to_int(error.exit_code());
  } catch (const std::exception& error) {
    runahead::log_error(error.what());
    return to_int(ExitCode::kFailed);
  }
}
