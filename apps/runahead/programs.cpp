#include "apps/runahead/programs.h"

#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <sstream>

#include "apps/program/program.h"
#include "core/base/error.h"
#include "core/base/executable.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/base/scratch_folder.h"
#include "core/sweep/program_caller.h"

namespace runahead::apps {

namespace fs = std::filesystem;

namespace {

/// The process that has become what it took for runahead-cell.
constexpr const char* kBecameCell = "RUNAHEAD_BECAME_CELL";

/// @throws UnavailableError if this program is executed as its own runahead-cell, which would go on
/// without end.
void require_not_own_cell() {
  const char* process = std::getenv(kBecameCell);
  if (process == nullptr || process != std::to_string(::getpid())) return;
  throw UnavailableError(
      "RUNAHEAD_CELL is this program, runahead; unset it, or give the program runahead-cell");
}

std::optional<fs::path> path_from_environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return fs::path(value);
}

}  // namespace

fs::path find_cell_program() {
  require_not_own_cell();
  if (const auto named = path_from_environment("RUNAHEAD_CELL")) {
    if (is_executable(*named)) return fs::absolute(*named);
    const std::string found = "RUNAHEAD_CELL: '" + named->string() + "'";
    if (!fs::exists(*named)) {
      throw UnavailableError(
          found + " does not exist; unset it, or give the path of the program runahead-cell");
    }
    if (fs::is_directory(*named)) {
      throw UnavailableError(found +
                             " is a folder; unset it, or give the program runahead-cell in it");
    }
    throw UnavailableError(found +
                           " is not executable; unset it, or give the program runahead-cell");
  }
  const fs::path program = own_program().parent_path() / "runahead-cell";
  if (is_executable(program)) return program;
  throw UnavailableError(program.string() +
                         ": no such program, which runs the experiments; build it with "
                         "scripts/build (not with -DRUNAHEAD_TORCH=OFF), or set RUNAHEAD_CELL to "
                         "its path");
}

void become_cell(const std::vector<std::string>& arguments) {
  const fs::path program = find_cell_program();
  ::setenv(kBecameCell, std::to_string(::getpid()).c_str(), 1);
  become(program, arguments);
}

fs::path own_program() { return fs::read_symlink("/proc/self/exe"); }

fs::path find_stub_cell() {
  const fs::path program = own_program().parent_path() / "runahead-stub-cell";
  if (is_executable(program)) return program;
  throw UnavailableError(program.string() + ": no such program; build it with scripts/build");
}

fs::path project_folder() {
  const fs::path script = fs::path("scripts") / "report.py";
  if (const auto named = path_from_environment("RUNAHEAD_HOME")) {
    if (fs::exists(*named / script)) return *named;
    throw UnavailableError("RUNAHEAD_HOME: '" + named->string() +
                           "' is not the project's folder: it has no " + script.string() +
                           "; set it to the folder with `scripts` and `configs`, or unset it");
  }
  const fs::path installed = own_program().parent_path().parent_path();
  return fs::exists(installed / script) ? installed : RUNAHEAD_SOURCE_FOLDER;
}

fs::path find_python(const std::string& package) {
  ::setenv("PYTHONUTF8", "1", 1);
  const fs::path python =
      path_from_environment("RUNAHEAD_PYTHON").value_or(project_folder() / ".venv/bin/python");
  if (is_executable(python)) return python;
  throw UnavailableError(
      "there is no Python at '" + python.string() +
      "'; run scripts/setup in the project's folder, or set RUNAHEAD_PYTHON to a Python that has " +
      package);
}

void require_utf8_name(const fs::path& path) {
  try {
    static_cast<void>(Json(path.string()).dump());
  } catch (const Json::type_error&) {
    throw ConfigError("'" + path.string() +
                      "': found a name that is not UTF-8, which JSON and pages cannot hold; rename "
                      "the folder, or give a link to it");
  }
}

std::vector<std::string> draw_report(const std::filesystem::path& folder,
                                     const std::filesystem::path& out) {
  std::vector<std::string> drawn;
  try {
    const std::filesystem::path script = project_folder() / "scripts" / "report.py";
    const ScratchFolder scratch;
    std::istringstream paths(sweep::ProgramCaller(scratch.path())
                                 .call(find_python(), {script.string(), "--out=" + out.string(),
                                                       "--", folder.string()}));
    for (std::string path; std::getline(paths, path);) drawn.push_back(path);
  } catch (const InterruptedError&) {
    throw;
  } catch (const Error& error) {
    log_warning(std::string("the charts could not be drawn: ") + error.what());
  }
  return drawn;
}

}  // namespace runahead::apps
