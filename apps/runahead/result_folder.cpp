#include "apps/runahead/result_folder.h"

#include <chrono>
#include <ctime>

#include "core/base/error.h"

namespace runahead::apps {

std::filesystem::path default_result_folder(const std::string& name) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm local{};
  ::localtime_r(&now, &local);
  char time[32];
  std::strftime(time, sizeof time, "%Y%m%d-%H%M%S", &local);
  return std::filesystem::path("runs") / (std::string(time) + "-" + name);
}

std::filesystem::path fresh_result_folder(const std::string& out, const std::string& name,
                                          const std::vector<std::string>& files) {
  const std::filesystem::path folder = std::filesystem::absolute(
      out.empty() ? default_result_folder(name) : std::filesystem::path(out));
  for (const std::string& file : files) {
    if (!std::filesystem::exists(folder / file)) continue;
    throw ConfigError("--out: '" + folder.string() + "' holds a " + file +
                      "; give a folder without results");
  }
  return folder;
}

}  // namespace runahead::apps
