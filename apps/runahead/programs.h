#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace runahead::apps {

/// `runahead-cell`, the program with torch: RUNAHEAD_CELL, else next to this executable.
/// @throws UnavailableError if it is not there, saying how to get it.
[[nodiscard]] std::filesystem::path find_cell_program();

/// This program: `runahead` itself.
[[nodiscard]] std::filesystem::path own_program();

/// `runahead-stub-cell`, a cell that does nothing: next to this executable.
/// @throws UnavailableError if it is not there.
[[nodiscard]] std::filesystem::path find_stub_cell();

/// The folder with `scripts` and `configs`: RUNAHEAD_HOME, else the installed package that this
/// program is in, else where it was built from.
[[nodiscard]] std::filesystem::path project_folder();

/// The Python of the project: RUNAHEAD_PYTHON, else the one in its `.venv`.
/// @param package  What it must have, for the error.
/// @throws UnavailableError if it is not there, saying how to get it.
[[nodiscard]] std::filesystem::path find_python(const std::string& package = "matplotlib");

/// Becomes `program`: same process, same streams; signals and the exit code are the program's own.
/// Does not return. @throws UnavailableError if it cannot be executed.
[[noreturn]] void become(const std::filesystem::path& program,
                         const std::vector<std::string>& arguments);

}  // namespace runahead::apps
