#pragma once

#include "apps/program/program.h"

/// The subcommands of `runahead`, one file each. Each adds itself to the program and returns what
/// to execute if it is chosen.
namespace runahead::apps {

Command add_run_command(CLI::App& program);
Command add_sweep_command(CLI::App& program);
Command add_tune_command(CLI::App& program);
Command add_report_command(CLI::App& program);
Command add_export_command(CLI::App& program);
Command add_reproduce_command(CLI::App& program);
Command add_bench_command(CLI::App& program);
Command add_monitor_command(CLI::App& program);
Command add_validate_command(CLI::App& program);
Command add_schema_command(CLI::App& program);
Command add_calibrate_command(CLI::App& program);
Command add_devices_command(CLI::App& program);
Command add_experiments_command(CLI::App& program);
/// Used by a sweep to run a cell that runs a command. Not for users, and not in the help.
Command add_cell_command(CLI::App& program);
/// `program` must outlive the command.
Command add_completion_command(CLI::App& program);

}  // namespace runahead::apps
