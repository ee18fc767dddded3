#pragma once

#include <filesystem>

namespace runahead::apps {

/// Reports on stderr if the sweep of a folder is running, with its progress. Silent if the folder
/// does not belong to a sweep or nothing is running.
/// @throws ConfigError with the state and a remedy if no run of the sweep has ended.
void require_ended_runs(const std::filesystem::path& folder);

}  // namespace runahead::apps
