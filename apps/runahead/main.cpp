#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "apps/runahead/command.h"
#include "core/base/error.h"
#include "core/base/log.h"

namespace {

using runahead::ExitCode;
using runahead::apps::Command;

int to_int(ExitCode code) { return static_cast<int>(code); }

std::vector<Command> add_commands(CLI::App& program) {
  using namespace runahead::apps;
  return {add_run_command(program),      add_sweep_command(program),
          add_report_command(program),   add_bench_command(program),
          add_validate_command(program), add_schema_command(program),
          add_devices_command(program),  add_experiments_command(program)};
}

ExitCode execute_chosen(const std::vector<Command>& commands) {
  for (const Command& command : commands) {
    if (command.parser->parsed()) return command.execute();
  }
  return ExitCode::kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App program(
      "Makes the memory cost of asynchronous execution visible, measurable and "
      "controllable.",
      "runahead");
  program.set_version_flag("--version", "runahead " RUNAHEAD_VERSION);
  program.require_subcommand(1);
  const std::vector<Command> commands = add_commands(program);
  try {
    program.parse(argc, argv);
    const ExitCode code = execute_chosen(commands);
    std::cout.flush();
    return to_int(std::cout ? code : ExitCode::kFailed);
  } catch (const CLI::ParseError& error) {
    // --help and --version arrive here too, with exit code 0.
    return program.exit(error) == 0 ? to_int(ExitCode::kOk) : to_int(ExitCode::kUsage);
  } catch (const runahead::Error& error) {
    runahead::log_error(error.what());
    return to_int(error.exit_code());
  } catch (const std::exception& error) {
    runahead::log_error(std::string("unexpected: ") + error.what());
    return to_int(ExitCode::kFailed);
  }
}
