#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace runahead::apps {

/// A warning that the sweep of a folder is running or incomplete, with the number of its runs that
/// have ended; nullopt if all have, or if the folder does not belong to a sweep.
/// @throws ConfigError with the state and a remedy if no run of the sweep has ended.
[[nodiscard]] std::optional<std::string> warning_of_missing_runs(
    const std::filesystem::path& folder);

}  // namespace runahead::apps
