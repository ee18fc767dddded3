#include <CLI/CLI.hpp>

#include "apps/cell/command.h"
#include "apps/program/program.h"

int main(int argc, char** argv) {
  using namespace runahead::cell;
  CLI::App program("Runs one experiment; `runahead` starts it.", "runahead-cell");
  return runahead::apps::run_program(
      program,
      {add_run_command(program), add_devices_command(program), add_bench_dispatch_command(program)},
      argc, argv);
}
