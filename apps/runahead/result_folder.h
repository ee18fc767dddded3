#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace runahead::apps {

/// Where a command leaves its results if no `--out` says: runs/<time in UTC>-`name`, relative to
/// the working folder.
[[nodiscard]] std::filesystem::path default_result_folder(const std::string& name);

/// The folder `out`, absolute, or the default one for `name` if `out` is empty; not made.
/// @throws ConfigError if it holds one of `files`: they would be taken for this command's.
[[nodiscard]] std::filesystem::path fresh_result_folder(const std::string& out,
                                                        const std::string& name,
                                                        const std::vector<std::string>& files);

}  // namespace runahead::apps
