#include "core/report/cell_pairs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/grouped.h"

namespace runahead::report {
namespace {

constexpr std::size_t kMostDifferences = 6;
constexpr std::size_t kLongestSource = 30;  ///< It stands before the name of every line.

using Runs = std::vector<const Run*>;

std::string id_key(const Run* run) { return dump_json(run->at("/id")); }

std::string axes_key(const Run* run) { return canonical(run->axes()); }

using KeyOf = std::string (*)(const Run*);

/// The cells that have runs of one sweep only, by their key.
std::map<std::string, std::vector<CellPair*>> alone_by(KeyOf key_of, std::vector<CellPair>& cells) {
  std::map<std::string, std::vector<CellPair*>> found;
  for (CellPair& cell : cells) {
    if (cell.first.empty() != cell.second.empty()) found[key_of(&cell.any())].push_back(&cell);
  }
  return found;
}

/// Moves runs of `second` to the cell of `first` with the same key if no other cell has that key.
void match(KeyOf key_of, std::vector<CellPair>& first, std::vector<CellPair>& second) {
  const auto others = alone_by(key_of, second);
  for (const auto& [key, cells] : alone_by(key_of, first)) {
    const auto found = others.find(key);
    if (found == others.end() || cells.size() != 1 || found->second.size() != 1) continue;
    cells.front()->second = std::exchange(found->second.front()->second, {});
  }
}

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
  std::vector<CellPair> left;
  std::vector<CellPair> right;
  for (Runs& runs : grouped(pointers_to(first), id_key)) left.push_back({.first = std::move(runs)});
  for (Runs& runs : grouped(pointers_to(second), id_key)) {
    right.push_back({.second = std::move(runs)});
  }
  match(id_key, left, right);
  match(axes_key, left, right);
  CellPairs pairs;
  for (auto* cells : {&left, &right}) {
    for (CellPair& cell : *cells) {
      if (cell.first.empty() && cell.second.empty()) continue;
      const bool is_alone = cell.first.empty() || cell.second.empty();
      (is_alone ? pairs.alone : pairs.both).push_back(std::move(cell));
    }
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
