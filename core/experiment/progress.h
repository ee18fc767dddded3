#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/train/batch_meter.h"

namespace runahead::experiment {

/// How far a run is; nullopt is not measured.
struct Progress {
  std::int64_t batches = 0;  ///< Of the whole run.
  std::optional<train::BatchCounts> counts{};
  std::optional<std::uint64_t> operations_in_flight{};
  std::optional<std::uint64_t> rss_bytes{};
  std::optional<std::uint64_t> live_bytes{};
};

/// In one line: "issued 60/60, finished 21/60, 39 batches (1014 operations) in flight, RSS 512 MB,
/// live 37.8 MB", without a newline.
[[nodiscard]] std::string progress_line(const Progress& progress);

/// In two lines, UTF-8, none as wide as `columns`: bars of the batches issued and finished (without
/// the bars where there is no room), and what is in flight and in memory. The second alone if no
/// batches are counted.
[[nodiscard]] std::vector<std::string> progress_lines(const Progress& progress, std::size_t columns,
                                                      bool coloured);

}  // namespace runahead::experiment
