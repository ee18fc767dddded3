#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/report/compared.h"
#include "core/report/run.h"

/// Matches the cells of two sweeps: of two versions of the program, of two machines, or of two
/// values of a key that is not an axis.
namespace runahead::report {

/// A cell of both sweeps, or of only one. The sweeps may have different numbers of runs of it.
struct CellPair {
  std::vector<const Run*> first{};
  std::vector<const Run*> second{};
  std::vector<Compared> figures{};  ///< One for each of TwoSweeps::figures.

  [[nodiscard]] const Run& any() const { return first.empty() ? *second.front() : *first.front(); }
  /// "policy none"; "sync → async" for two runs with different configs.
  [[nodiscard]] std::string name() const;
  /// Whether all its runs are ok in the first sweep, but not all in the second.
  [[nodiscard]] bool broke() const;
  [[nodiscard]] bool was_mended() const;
  /// Whether a run of either sweep shared its CPUs, so that times do not compare.
  [[nodiscard]] bool shares_cpus() const;
};

struct CellPairs {
  std::vector<CellPair> both{};   ///< In the order of the first sweep.
  std::vector<CellPair> alone{};  ///< Cells of only one sweep.
};

/// The names of folders: their paths without the part that they share.
/// @param folders  Not empty.
[[nodiscard]] std::vector<std::string> sources_of(
    const std::vector<std::filesystem::path>& folders);

/// Keeps only the runs of the program version that wrote last, since a resumed folder may hold
/// several versions. Adds a warning with the number of removed runs. Shard files count as written
/// after `records.jsonl`. Runs without a version stay.
void keep_one_version(std::vector<Run>& runs, std::vector<std::string>& warnings);

/// Matches cells by their ids, which are hashes of configs. Another version may have other keys in
/// its configs, hence other ids, so the remaining cells are matched by their axis values if only
/// one cell on each side has them. Two single runs, not of a sweep, always form a pair.
[[nodiscard]] CellPairs pair_cells(std::span<const Run> first, std::span<const Run> second);

/// Warns about cells whose runs shared CPUs.
void warn_of_shared_cpus(const std::vector<CellPair>& both, std::vector<std::string>& warnings);

/// Warns about the config keys in which a cell differs between the sweeps.
void warn_of_differences(const std::vector<CellPair>& both, const std::string& first_source,
                         const std::string& second_source, std::vector<std::string>& warnings);

}  // namespace runahead::report
