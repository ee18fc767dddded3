#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace runahead::apps {

/// Draws what `report` draws for `folder` into `out`, and blocks until that is done. A failure is
/// reported and leaves the results valid.
/// @return The paths of the files drawn.
/// @throws InterruptedError if the user asked to stop.
std::vector<std::string> draw_report(const std::filesystem::path& folder,
                                     const std::filesystem::path& out);

}  // namespace runahead::apps
