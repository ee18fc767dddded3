#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/report/run.h"

/// Brings the cells of two sweeps together: of two versions of the program, of two machines, or of
/// two settings of what no axis varies.
namespace runahead::report {

/// A cell of both sweeps, or of one: its runs there, which may differ in number.
struct CellPair {
  std::vector<const Run*> first{};
  std::vector<const Run*> second{};

  [[nodiscard]] const Run& any() const { return first.empty() ? *second.front() : *first.front(); }
};

struct CellPairs {
  std::vector<CellPair> both{};   ///< In the order of the first sweep.
  std::vector<CellPair> alone{};  ///< Cells of one sweep.
};

/// What two sweeps are called: their paths without the part that they share.
[[nodiscard]] std::pair<std::string, std::string> sources_of(const std::filesystem::path& first,
                                                             const std::filesystem::path& second);

/// Leaves the runs of the version of the program that wrote last (the files of shards
/// come after `records.jsonl`), and those that name none: a folder that was resumed may hold
/// others, and then a warning counts them.
void keep_one_version(std::vector<Run>& runs, std::vector<std::string>& warnings);

/// A cell is found again by its id, the hash of its config; another version may have other keys in
/// the config, hence other ids: the remaining cells are matched by their axis values, where these
/// name one cell alone.
[[nodiscard]] CellPairs pair_cells(std::span<const Run> first, std::span<const Run> second);

/// Warns where the configs of a cell differ between the sweeps.
void warn_of_differences(const std::vector<CellPair>& both, const std::string& first_source,
                         const std::string& second_source, std::vector<std::string>& warnings);

}  // namespace runahead::report
