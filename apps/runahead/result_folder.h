#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace runahead::apps {

/// The absolute path of the folder `out`, or new_result_folder(name) if `out` is empty. Does not
/// create it.
/// @throws ConfigError if it holds one of `files`, which would be mistaken for this command's.
[[nodiscard]] std::filesystem::path fresh_result_folder(const std::string& out,
                                                        const std::string& name,
                                                        const std::vector<std::string>& files);

}  // namespace runahead::apps
