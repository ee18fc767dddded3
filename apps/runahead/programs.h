#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace runahead::apps {

/// `runahead-cell`, the program with torch: RUNAHEAD_CELL, else next to this executable.
/// @throws UnavailableError with instructions if it does not exist.
[[nodiscard]] std::filesystem::path find_cell_program();

/// Replaces this process with `runahead-cell`. @throws UnavailableError as find_cell_program(), and
/// if that does not start.
[[noreturn]] void become_cell(const std::vector<std::string>& arguments);

/// This program: `runahead` itself.
[[nodiscard]] std::filesystem::path own_program();

/// `runahead-stub-cell`, a cell that does nothing: next to this executable.
/// @throws UnavailableError if it does not exist.
[[nodiscard]] std::filesystem::path find_stub_cell();

/// The folder with `scripts` and `configs`: RUNAHEAD_HOME, else the installed package that contains
/// this program, else the source folder it was built from.
[[nodiscard]] std::filesystem::path project_folder();

/// The Python of the project: RUNAHEAD_PYTHON, else the one in its `.venv`. Sets PYTHONUTF8 for it:
/// paths and text are passed in UTF-8, in every locale.
/// @param package  A package that it must have, for the error.
/// @throws UnavailableError with instructions if it does not exist.
[[nodiscard]] std::filesystem::path find_python(const std::string& package = "matplotlib");

/// @throws ConfigError if a path cannot be part of what the scripts read and write.
void require_utf8_name(const std::filesystem::path& path);

/// Draws what `report` draws for `folder` into `out`, and blocks until that is done. A failure is
/// reported and leaves the results valid.
/// @return The paths of the files drawn.
/// @throws InterruptedError if the user asked to stop.
std::vector<std::string> draw_report(const std::filesystem::path& folder,
                                     const std::filesystem::path& out);

}  // namespace runahead::apps
