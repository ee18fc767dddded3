#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/report/ratio.h"
#include "core/report/run.h"

/// Matches the cells of two sweeps: of two versions of the program, of two machines, or of two
/// values of a key that is not an axis.
namespace runahead::report {

/// One figure of one cell in both sweeps.
struct Compared {
  std::optional<double> first_median{};  ///< nullopt if no run that is ok has the figure.
  std::optional<double> second_median{};
  std::size_t first_count = 0;  ///< Number of ok runs that have the figure.
  std::size_t second_count = 0;
  std::optional<Ratio> ratio{};
  std::string change{};  ///< more_word or less_word of the figure; "" if it did not change.
  bool is_worse = false;
  bool may_be_noise = false;  ///< Chance may explain the difference.
};

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

/// Warns about the config keys in which a cell differs between the sweeps.
void warn_of_differences(const std::vector<CellPair>& both, const std::string& first_source,
                         const std::string& second_source, std::vector<std::string>& warnings);

}  // namespace runahead::report
