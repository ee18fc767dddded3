#include <CLI/CLI.hpp>
#include <vector>

#include "apps/program/program.h"
#include "apps/runahead/command.h"
#include "apps/runahead/help_footer.h"
#include "apps/runahead/interruption.h"
#include "core/record/command_line.h"

int main(int argc, char** argv) {
  using namespace runahead::apps;
  runahead::record::announce_command_line("runahead", argc, argv);
  exit_on_interruption();
  CLI::App program(
      "Makes the memory cost of asynchronous execution visible, measurable and "
      "controllable.",
      "runahead");
  program.set_version_flag("--version", "runahead " RUNAHEAD_VERSION);
  const std::vector<Command> commands{
      add_run_command(program),         add_sweep_command(program),
      add_tune_command(program),        add_reproduce_command(program),
      add_report_command(program),      add_export_command(program),
      add_bench_command(program),       add_monitor_command(program),
      add_validate_command(program),    add_schema_command(program),
      add_calibrate_command(program),   add_devices_command(program),
      add_experiments_command(program), add_completion_command(program),
      add_cell_command(program)};
  add_help_footers(program);
  return run_program(program, commands, argc, argv);
}
