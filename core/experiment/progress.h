#pragma once

#include <cstddef>
#include <string>
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

}  // namespace runahead::experiment
