#include "apps/runahead/result_folder.h"

#include <chrono>
#include <ctime>

namespace runahead::apps {

std::filesystem::path default_result_folder(const std::string& name) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm local{};
  ::localtime_r(&now, &local);
  char time[32];
  std::strftime(time, sizeof time, "%Y%m%d-%H%M%S", &local);
  return std::filesystem::path("runs") / (std::string(time) + "-" + name);
}

}  // namespace runahead::apps
