#pragma once

#include "apps/program/program.h"

/// The subcommands of `runahead-cell`, one file each. Each adds itself to the program and returns
/// what to execute if it is chosen.
namespace runahead::cell {

using apps::Command;

Command add_run_command(CLI::App& program);
Command add_calibrate_command(CLI::App& program);
Command add_devices_command(CLI::App& program);
/// Hidden: `runahead bench dispatch` starts it.
Command add_bench_dispatch_command(CLI::App& program);
/// Hidden: `runahead bench transfer` starts it.
Command add_bench_transfer_command(CLI::App& program);

}  // namespace runahead::cell
