#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/train/batch_meter.h"

namespace runahead::experiment {

/// How far a run has got; nullopt: not measured.
struct Progress {
  std::int64_t batches = 0;  ///< In the whole run.
  std::optional<train::BatchCounts> counts{};
  std::optional<std::uint64_t> operations_in_flight{};
  std::optional<std::uint64_t> rss_bytes{};
  std::optional<std::uint64_t> live_bytes{};
};

/// The progress in one line: "issued 60/60, finished 21/60, 39 batches (1014 operations) in flight,
/// RSS 512 MB, live 37.8 MB", without a newline.
[[nodiscard]] std::string progress_line(const Progress& progress);

/// The progress in two lines of UTF-8, each narrower than `columns`: the batches issued and
/// finished with bars (no bars if there is no room), and what is in flight and in memory. Only the
/// second line if batches are not counted.
[[nodiscard]] std::vector<std::string> progress_lines(const Progress& progress, std::size_t columns,
                                                      bool coloured);

}  // namespace runahead::experiment
