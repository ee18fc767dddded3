#include "core/report/cell_pairs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "core/base/grouped.h"

namespace runahead::report {
namespace {

constexpr std::size_t kMostDifferences = 6;
constexpr std::size_t kLongestSource = 30;  ///< It stands before the name of every line.

using Runs = std::vector<const Run*>;

std::string id_of(const Run* run) { return dump_json(run->at("/id")); }

/// The runs of each cell of a sweep, in the order in which cells come.
struct Cells {
  std::vector<Runs> runs{};
  std::map<std::string, std::size_t> place_of_id{};

  explicit Cells(std::span<const Run> all) : runs(grouped(pointers_to(all), id_of)) {
    for (const Runs& cell : runs) place_of_id.emplace(id_of(cell.front()), place_of_id.size());
  }

  /// The cells that are not `known`, by their axes.
  [[nodiscard]] std::map<std::string, std::vector<std::size_t>> by_axes(
      const std::set<std::size_t>& known) const {
    std::map<std::string, std::vector<std::size_t>> cells;
    for (std::size_t cell = 0; cell < runs.size(); ++cell) {
      if (!known.contains(cell)) cells[canonical(runs[cell].front()->axes())].push_back(cell);
    }
    return cells;
  }
};

/// "0.1.0 (revision)"; "" if the record, perhaps of a run that never began, names none.
std::string version_of(const Run& run) {
  const std::string number = run.text("/environment/runahead");
  return number.empty() ? "" : number + " (" + run.text("/environment/git") + ")";
}

std::string shortened(const std::string& name) {
  return name.size() <= kLongestSource ? name
                                       : "…" + name.substr(name.size() - (kLongestSource - 1));
}

bool are_ok(const Runs& runs) {
  return std::all_of(runs.begin(), runs.end(), [](const Run* run) { return run->is_ok(); });
}

std::string found_in(const Json& leaves, const std::string& pointer) {
  return leaves.contains(pointer) ? dump_json(leaves[pointer]) : "not there";
}

}  // namespace

bool CellPair::broke() const { return are_ok(first) && !are_ok(second); }

bool CellPair::was_mended() const { return are_ok(second) && !are_ok(first); }

std::pair<std::string, std::string> sources_of(const std::filesystem::path& first,
                                               const std::filesystem::path& second) {
  const auto parts_of = [](const std::filesystem::path& folder) {
    const std::filesystem::path whole = std::filesystem::weakly_canonical(folder);
    return std::vector<std::filesystem::path>(whole.begin(), whole.end());
  };
  const auto left = parts_of(first);
  const auto right = parts_of(second);
  const auto shared = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  const auto name_of = [](auto begin, auto end) {
    std::filesystem::path path;
    for (; begin != end; ++begin) path /= *begin;
    return path.string();
  };
  std::pair names{name_of(shared.first, left.end()), name_of(shared.second, right.end())};
  if (names.first.empty() || names.second.empty()) names = {first.string(), second.string()};
  const std::pair brief{shortened(names.first), shortened(names.second)};
  return brief.first == brief.second ? names : brief;
}

void keep_one_version(std::vector<Run>& runs, std::vector<std::string>& warnings) {
  const auto place = [](const Run& run) { return std::tie(run.path, run.line); };
  const Run* newest = nullptr;
  for (const Run& run : runs) {
    const bool is_later = newest == nullptr || place(run) > place(*newest);
    if (is_later && !version_of(run).empty()) newest = &run;
  }
  if (newest == nullptr) return;
  const std::string version = version_of(*newest);
  const std::string source = newest->source;
  const std::size_t left_out = std::erase_if(runs, [&](const Run& run) {
    const std::string other = version_of(run);
    return !other.empty() && other != version;
  });
  if (left_out == 0) return;
  warnings.push_back(std::to_string(left_out) + " runs in " + source +
                     " are of another version of runahead than the last one there and are left "
                     "out");
}

CellPairs pair_cells(std::span<const Run> first, std::span<const Run> second) {
  const Cells left(first);
  const Cells right(second);
  std::vector<std::optional<std::size_t>> partner(left.runs.size());
  std::set<std::size_t> known_left;
  std::set<std::size_t> known_right;
  const auto join = [&](std::size_t one, std::size_t other) {
    partner[one] = other;
    known_left.insert(one);
    known_right.insert(other);
  };
  for (const auto& [id, cell] : left.place_of_id) {
    const auto other = right.place_of_id.find(id);
    if (other != right.place_of_id.end()) join(cell, other->second);
  }
  const auto rest = right.by_axes(known_right);
  for (const auto& [axes, cells] : left.by_axes(known_left)) {
    const auto others = rest.find(axes);
    if (cells.size() == 1 && others != rest.end() && others->second.size() == 1) {
      join(cells.front(), others->second.front());
    }
  }
  CellPairs pairs;
  for (std::size_t cell = 0; cell < left.runs.size(); ++cell) {
    if (partner[cell]) {
      pairs.both.push_back({.first = left.runs[cell], .second = right.runs[*partner[cell]]});
    } else {
      pairs.alone.push_back({.first = left.runs[cell]});
    }
  }
  for (std::size_t cell = 0; cell < right.runs.size(); ++cell) {
    if (!known_right.contains(cell)) pairs.alone.push_back({.second = right.runs[cell]});
  }
  return pairs;
}

void warn_of_differences(const std::vector<CellPair>& both, const std::string& first_source,
                         const std::string& second_source, std::vector<std::string>& warnings) {
  std::set<std::string> pointers;
  std::string text;
  for (const CellPair& cell : both) {
    const Json first = cell.first.front()->object("/config").flatten();
    const Json second = cell.second.front()->object("/config").flatten();
    Json all = first;
    all.update(second);
    for (const auto& [pointer, value] : all.items()) {
      const std::string left = found_in(first, pointer);
      const std::string right = found_in(second, pointer);
      if (left == right || !pointers.insert(pointer).second) continue;
      if (pointers.size() > kMostDifferences) continue;
      text += (text.empty() ? "" : ", ") + pointer + " (" + left + " in " + first_source + ", " +
              right + " in " + second_source + ")";
    }
  }
  if (pointers.empty()) return;
  if (pointers.size() > kMostDifferences) {
    text += " and " + std::to_string(pointers.size() - kMostDifferences) + " more";
  }
  warnings.push_back("cells are compared whose configs differ: " + text);
}

}  // namespace runahead::report
