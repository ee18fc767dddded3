#pragma once

#include <CLI/CLI.hpp>

namespace runahead::apps {

/// Appends examples and a table of exit codes to the help of every command of the program, after
/// its own footer.
void add_help_footers(CLI::App& program);

}  // namespace runahead::apps
