#include "core/base/executable.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace runahead {

namespace fs = std::filesystem;

bool is_executable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
}

std::string search_path() {
  const char* path = std::getenv("PATH");
  return path == nullptr ? "/usr/bin:/bin" : path;
}

std::optional<fs::path> find_executable(const std::string& name, const std::string& folders) {
  for (std::size_t start = 0; start <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', start), folders.size());
    const std::string folder = folders.substr(start, end - start);
    fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (is_executable(candidate)) return candidate;
    start = end + 1;
  }
  return std::nullopt;
}

}  // namespace runahead
