#include "core/base/result_folder.h"

#include "core/base/timestamp.h"

namespace runahead {

std::filesystem::path new_result_folder(const std::string& name) {
  const std::filesystem::path first =
      std::filesystem::path("runs") / (utc_timestamp() + "-" + name);
  std::filesystem::path folder = first;
  for (int number = 2; std::filesystem::exists(folder); ++number) {
    folder = first.string() + "-" + std::to_string(number);
  }
  return folder;
}

}  // namespace runahead
