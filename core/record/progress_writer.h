#pragma once

#include <filesystem>
#include <functional>
#include <thread>

#include "core/record/cell_progress.h"

namespace runahead::record {

/// Writes a run's progress to a file once per period, on its own thread, until the result is
/// destroyed; the file stays. A failed write is skipped. The first write happens after one period,
/// so a shorter run writes nothing.
/// @param progress  Called on that thread; must be quick. Its `seconds` are filled in.
[[nodiscard]] std::jthread start_progress_writer(std::filesystem::path path, double period_seconds,
                                                 std::function<CellProgress()> progress);

}  // namespace runahead::record
