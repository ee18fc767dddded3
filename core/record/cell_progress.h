#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <thread>

namespace runahead::record {

/// Progress of a running experiment, as a cell also reports it to its parent. nullopt if not
/// counted.
struct CellProgress {
  double seconds = 0.0;                    ///< Since the run began.
  std::optional<std::uint64_t> batches{};  ///< In the whole run.
  std::optional<std::uint64_t> batches_issued{};
  std::optional<std::uint64_t> batches_finished{};
  std::optional<std::uint64_t> operations_in_flight{};
  std::optional<std::uint64_t> rss_bytes{};
  std::optional<std::uint64_t> live_bytes{};
};

/// The name of the file in the folder of a cell.
inline constexpr const char* kCellProgressName = "progress.json";

/// Replaces the file atomically, without waiting for the disk. @throws Error if it cannot be
/// written.
void write_cell_progress(const std::filesystem::path& path, const CellProgress& progress);

/// nullopt if the file is missing or does not hold a progress report.
[[nodiscard]] std::optional<CellProgress> read_cell_progress(const std::filesystem::path& path);

/// Removes the file of write_cell_progress(), and the temporary file if it was killed.
void remove_cell_progress(const std::filesystem::path& path) noexcept;

/// Writes a run's progress to a file once per period, on its own thread, until the result is
/// destroyed; the file stays. A failed write is skipped. The first write happens after one period,
/// so a shorter run writes nothing.
/// @param progress  Called on that thread; must be quick. Its `seconds` are filled in.
[[nodiscard]] std::jthread start_progress_writer(std::filesystem::path path, double period_seconds,
                                                 std::function<CellProgress()> progress);

}  // namespace runahead::record
