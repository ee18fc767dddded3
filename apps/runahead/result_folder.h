#pragma once

#include <filesystem>
#include <string>

namespace runahead::apps {

/// Where a command leaves its results if no `--out` says: runs/<local time>-`name`, relative to the
/// working folder.
[[nodiscard]] std::filesystem::path default_result_folder(const std::string& name);

}  // namespace runahead::apps
