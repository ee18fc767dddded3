#pragma once

#include <filesystem>

namespace runahead::apps {

/// Draws what `report` draws of `folder` into `out` and prints the paths to stderr; blocks until it
/// is drawn. If that fails, it is reported, and the results stand.
/// @throws InterruptedError if the user asked to stop.
void draw_report(const std::filesystem::path& folder, const std::filesystem::path& out);

}  // namespace runahead::apps
