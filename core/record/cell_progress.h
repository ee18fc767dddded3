#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

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

}  // namespace runahead::record
