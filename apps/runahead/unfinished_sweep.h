#pragma once

#include <filesystem>

namespace runahead::apps {

/// Reports on stderr that the sweep of a folder is running, and how far it is. Silent for a folder
/// that is no sweep's, and where nothing runs.
/// @throws ConfigError if no run of the sweep has ended, with how it stands and what to do.
void require_ended_runs(const std::filesystem::path& folder);

}  // namespace runahead::apps
