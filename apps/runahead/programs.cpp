#include "apps/runahead/programs.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>

#include "core/base/error.h"

namespace runahead::apps {

namespace fs = std::filesystem;

namespace {

std::optional<fs::path> path_from_environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return fs::path(value);
}

bool is_executable(const fs::path& path) {
  return fs::is_regular_file(path) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

fs::path find_cell_program() {
  if (const auto named = path_from_environment("RUNAHEAD_CELL")) {
    if (is_executable(*named)) return *named;
    throw UnavailableError("RUNAHEAD_CELL names '" + named->string() + "', which is no executable");
  }
  const fs::path program = own_program().parent_path() / "runahead-cell";
  if (is_executable(program)) return program;
  throw UnavailableError("the program with LibTorch is not there ('" + program.string() +
                         "'): build it with scripts/build (not with -DRUNAHEAD_TORCH=OFF), or set "
                         "RUNAHEAD_CELL to where it is");
}

fs::path own_program() { return fs::read_symlink("/proc/self/exe"); }

fs::path find_stub_cell() {
  const fs::path program = own_program().parent_path() / "runahead-stub-cell";
  if (is_executable(program)) return program;
  throw UnavailableError("the cell that does nothing is not there ('" + program.string() +
                         "'): build it with scripts/build");
}

fs::path project_folder() {
  if (const auto named = path_from_environment("RUNAHEAD_HOME")) return *named;
  const fs::path installed = own_program().parent_path().parent_path();
  return fs::exists(installed / "scripts" / "report.py") ? installed : RUNAHEAD_SOURCE_FOLDER;
}

fs::path find_python() {
  const fs::path python =
      path_from_environment("RUNAHEAD_PYTHON").value_or(project_folder() / ".venv/bin/python");
  if (is_executable(python)) return python;
  throw UnavailableError(
      "there is no Python at '" + python.string() +
      "': run scripts/setup in the project's folder, or set RUNAHEAD_PYTHON (one "
      "with matplotlib) or RUNAHEAD_HOME (the project's folder)");
}

void become(const fs::path& program, const std::vector<std::string>& arguments) {
  const std::string name = program.string();
  std::vector<char*> argv{const_cast<char*>(name.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::cout.flush();
  ::execv(name.c_str(), argv.data());
  throw UnavailableError("'" + name + "' could not be executed: " + std::strerror(errno));
}

}  // namespace runahead::apps
