#pragma once

#include <string>
#include <vector>

/// The command line that a record names: what a user typed, not how a sweep started the cell.
namespace runahead::record {

/// Makes records of this process and its children name this command line, unless a parent has
/// announced one; 64 KiB of it. Sets an environment variable, so call it before other threads
/// start.
/// @param program  Replaces argv[0], which may be a path.
void announce_command_line(const char* program, int argc, const char* const* argv);

/// The command line that was announced, else this process's; "" if neither is known.
[[nodiscard]] std::string command_line();

/// The words of the command line of a process: an id, or "self". Empty if they cannot be read.
[[nodiscard]] std::vector<std::string> words_of_process(const std::string& process);

}  // namespace runahead::record
