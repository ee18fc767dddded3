#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace runahead::record {

/// How far a cell is while it runs, as it reports to its parent. nullopt: not counted.
struct CellProgress {
  double seconds = 0.0;                    ///< Since it began to run.
  std::optional<std::uint64_t> batches{};  ///< Of the whole run.
  std::optional<std::uint64_t> batches_issued{};
  std::optional<std::uint64_t> batches_finished{};
  std::optional<std::uint64_t> operations_in_flight{};
  std::optional<std::uint64_t> rss_bytes{};
};

/// The name of the file in the folder of a cell.
inline constexpr const char* kCellProgressName = "progress.json";

/// Replaces the file, whole or not at all, without waiting for the disk. @throws Error if it cannot
/// be written.
void write_cell_progress(const std::filesystem::path& path, const CellProgress& progress);

/// nullopt if there is no such file, or what it holds is no progress.
[[nodiscard]] std::optional<CellProgress> read_cell_progress(const std::filesystem::path& path);

/// Removes what `write_cell_progress` leaves, also where it was killed.
void remove_cell_progress(const std::filesystem::path& path) noexcept;

}  // namespace runahead::record
