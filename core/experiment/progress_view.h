#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <thread>

#include "core/experiment/progress.h"

namespace runahead::experiment {

/// Where a run shows its progress.
struct ProgressOutput {
  std::ostream* out = nullptr;
  bool coloured = false;
  /// Current width of the terminal. An empty function or nullopt: `out` is not a terminal. Called
  /// on the thread that shows it.
  std::function<std::optional<std::size_t>()> columns{};
};

/// Shows the progress of a run from a thread of its own, until the result is destroyed. On a
/// terminal, it updates two lines in place ten times a second, starting after a tenth of a second,
/// and at the end leaves the terminal as found; elsewhere it writes a plain line every second,
/// starting after the first.
/// @param output    Only that thread writes to it meanwhile.
/// @param progress  Called on that thread; must be quick.
[[nodiscard]] std::jthread start_progress_view(ProgressOutput output,
                                               std::function<record::CellProgress()> progress);

}  // namespace runahead::experiment
