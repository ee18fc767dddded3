#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace runahead::apps {

/// Draws what `report` draws of `folder` into `out`; blocks until it is drawn. If that fails, it is
/// reported, and the results stand.
/// @return The paths of what was drawn.
/// @throws InterruptedError if the user asked to stop.
std::vector<std::string> draw_report(const std::filesystem::path& folder,
                                     const std::filesystem::path& out);

}  // namespace runahead::apps
