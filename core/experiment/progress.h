#pragma once

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/record/cell_progress.h"

namespace runahead::experiment {

/// The progress in one line: "issued 60/60, finished 21/60, 39 batches (1014 operations) in flight,
/// RSS 512 MB, live 37.8 MB", without a newline.
[[nodiscard]] std::string progress_line(const record::CellProgress& progress);

/// The progress in two lines of UTF-8, each narrower than `columns`: the batches issued and
/// finished with bars (no bars if there is no room), and what is in flight and in memory. Only the
/// second line if batches are not counted.
[[nodiscard]] std::vector<std::string> progress_lines(const record::CellProgress& progress,
                                                      std::size_t columns, bool coloured);

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
