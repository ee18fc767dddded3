#include "core/base/cpuinfo.h"

#include <fstream>

namespace runahead {

std::optional<std::string> cpuinfo(std::string_view name) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(name) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return std::nullopt;
}

}  // namespace runahead
