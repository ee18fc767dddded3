#include "core/config/device_name.h"

#include <string_view>

namespace runahead::config {

bool is_device_name(const std::string& name) {
  constexpr std::string_view kCuda = "cuda:";
  if (!name.starts_with(kCuda)) return name == "cpu" || name == "acpu" || name == "cuda";
  const std::string index = name.substr(kCuda.size());
  return !index.empty() && index.size() <= 3 &&
         index.find_first_not_of("0123456789") == std::string::npos;
}

int cuda_index(const std::string& name) {
  const std::size_t colon = name.find(':');
  return colon == std::string::npos ? 0 : std::stoi(name.substr(colon + 1));
}

}  // namespace runahead::config
