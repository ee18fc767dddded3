#pragma once

#include <string>

/// The command line that a record names: what a user typed, not how a sweep started the cell.
namespace runahead::record {

/// Makes this command line the one that records of this process and of its children name, unless a
/// parent's is named already. Sets an environment variable: call it before other threads start.
/// @param program  In place of argv[0], which may be a path.
void announce_command_line(const char* program, int argc, const char* const* argv);

/// The command line that was announced, else this process's; "" if neither is known.
[[nodiscard]] std::string command_line();

}  // namespace runahead::record
