#include "core/command/find_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <system_error>

#include "core/base/error.h"

namespace runahead::command {

namespace fs = std::filesystem;

fs::path find_program(const std::string& name, const std::string& search) {
  const auto can_be_executed = [](const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') == std::string::npos) {
    std::istringstream folders(search);
    for (std::string folder; std::getline(folders, folder, ':');) {
      fs::path path = fs::path(folder.empty() ? "." : folder) / name;
      if (can_be_executed(path)) return path;
    }
  }
  std::error_code ignored;
  if (fs::is_directory(name, ignored)) {
    throw UnavailableError("'" + name + "' is a folder, not a program");
  }
  if (name.find('/') == std::string::npos) {
    throw UnavailableError("there is no program '" + name + "' in PATH");
  }
  if (::access(name.c_str(), X_OK) == 0) return name;
  throw UnavailableError("'" + name + "' could not be started: " + std::strerror(errno));
}

std::string own_search_path() {
  const char* path = std::getenv("PATH");
  return path == nullptr ? "" : path;
}

}  // namespace runahead::command
