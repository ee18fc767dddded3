#include "core/command/find_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/base/error.h"
#include "core/base/executable.h"

namespace runahead::command {

namespace fs = std::filesystem;

fs::path find_program(const std::string& name, const std::string& search) {
  const bool is_path = name.find('/') != std::string::npos;
  if (!is_path) {
    if (auto program = find_executable(name, search)) return *std::move(program);
  }
  std::error_code ignored;
  if (fs::is_directory(name, ignored)) {
    throw UnavailableError("'" + name + "' is a folder, not a program");
  }
  if (!is_path) throw UnavailableError("there is no program '" + name + "' in PATH");
  if (::access(name.c_str(), X_OK) == 0) return name;
  const int problem = errno;
  if (problem == EACCES && fs::is_regular_file(name, ignored)) {
    throw UnavailableError("'" + name +
                           "' is not executable; make it executable (chmod +x), or give a program");
  }
  throw UnavailableError("'" + name + "' could not be started: " + std::strerror(problem));
}

std::string start_failure(const std::string& name, const fs::path& program,
                          const std::error_code& problem) {
  std::error_code ignored;
  const bool lacks_another = problem.value() == ENOENT && fs::exists(program, ignored);
  return "'" + name + "' could not be started: " +
         (lacks_another ? "its interpreter (named in its first line), or its loader, does not exist"
                        : problem.message());
}

}  // namespace runahead::command
