#pragma once

#include <CLI/CLI.hpp>

namespace runahead::apps {

/// Ends the help of every command of the program with examples and a table of its exit codes, after
/// the footer that it has.
void add_help_footers(CLI::App& program);

}  // namespace runahead::apps
