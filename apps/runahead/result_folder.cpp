#include "apps/runahead/result_folder.h"

#include "core/base/error.h"
#include "core/base/result_folder.h"

namespace runahead::apps {

std::filesystem::path fresh_result_folder(const std::string& out, const std::string& name,
                                          const std::vector<std::string>& files) {
  const std::filesystem::path folder =
      std::filesystem::absolute(out.empty() ? new_result_folder(name) : std::filesystem::path(out));
  for (const std::string& file : files) {
    if (!std::filesystem::exists(folder / file)) continue;
    throw ConfigError("--out: '" + folder.string() + "' holds a " + file +
                      "; give a folder without results");
  }
  return folder;
}

}  // namespace runahead::apps
