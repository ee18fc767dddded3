#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "core/base/error.h"

/// The subcommands of `runahead-cell`, one file each. Each adds itself to the program and says what
/// to do when it was chosen.
namespace runahead::cell {

struct Command {
  CLI::App* parser = nullptr;           ///< Owned by the program's parser.
  std::function<ExitCode()> execute{};  ///< Throws runahead::Error.
};

Command add_run_command(CLI::App& program);
Command add_devices_command(CLI::App& program);
/// Hidden: `runahead bench dispatch` starts it.
Command add_bench_dispatch_command(CLI::App& program);

}  // namespace runahead::cell
