#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace runahead::apps {

/// The folder `out`, absolute, or new_result_folder(name) if `out` is empty; not made.
/// @throws ConfigError if it holds one of `files`: they would be taken for this command's.
[[nodiscard]] std::filesystem::path fresh_result_folder(const std::string& out,
                                                        const std::string& name,
                                                        const std::vector<std::string>& files);

}  // namespace runahead::apps
