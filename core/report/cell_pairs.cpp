#include "core/report/cell_pairs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/grouped.h"
#include "core/base/number_text.h"
#include "core/base/text.h"
#include "core/report/labels.h"

namespace runahead::report {
namespace {

constexpr std::size_t kMostDifferences = 6;
constexpr std::size_t kLongestSource = 30;  ///< The source precedes the name of every line.

using Runs = std::vector<const Run*>;

std::string id_key(const Run* run) { return dump_json(run->at("/id")); }

std::string axes_key(const Run* run) { return canonical(run->axes()); }

using KeyOf = std::string (*)(const Run*);

/// The cells that have runs of only one sweep, by key.
std::map<std::string, std::vector<CellPair*>> alone_by(KeyOf key_of, std::vector<CellPair>& cells) {
  std::map<std::string, std::vector<CellPair*>> found;
  for (CellPair& cell : cells) {
    if (cell.first.empty() != cell.second.empty()) found[key_of(&cell.any())].push_back(&cell);
  }
  return found;
}

/// Moves the runs of a cell of `second` to the cell of `first` with the same key, if each side has
/// exactly one cell with that key.
void match(KeyOf key_of, std::vector<CellPair>& first, std::vector<CellPair>& second) {
  const auto others = alone_by(key_of, second);
  for (const auto& [key, cells] : alone_by(key_of, first)) {
    const auto found = others.find(key);
    if (found == others.end() || cells.size() != 1 || found->second.size() != 1) continue;
    cells.front()->second = std::exchange(found->second.front()->second, {});
  }
}

std::string shortened(const std::string& name) {
  return name.size() <= kLongestSource ? name : "…" + std::string(end_of(name, kLongestSource - 1));
}

bool are_ok(const Runs& runs) {
  return std::ranges::all_of(runs, [](const Run* run) { return run->is_ok(); });
}

bool are_single(std::span<const Run> runs) { return runs.size() == 1 && runs.front().is_single(); }

std::string found_in(const Json& leaves, const std::string& pointer) {
  return leaves.contains(pointer) ? dump_json(leaves[pointer]) : "missing";
}

}  // namespace

std::string CellPair::name() const {
  if (first.empty() || second.empty()) return cell_name(any());
  const std::string before = cell_name(*first.front());
  const std::string after = cell_name(*second.front());
  return before == after ? before : before + " → " + after;
}

bool CellPair::broke() const { return are_ok(first) && !are_ok(second); }

bool CellPair::was_mended() const { return are_ok(second) && !are_ok(first); }

bool CellPair::shares_cpus() const {
  return std::ranges::any_of(first, &Run::shares_cpus) ||
         std::ranges::any_of(second, &Run::shares_cpus);
}

std::vector<std::string> sources_of(const std::vector<std::filesystem::path>& folders) {
  using Parts = std::vector<std::filesystem::path>;
  std::vector<Parts> all;
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path whole = std::filesystem::weakly_canonical(folder);
    all.emplace_back(whole.begin(), whole.end());
  }
  std::size_t shared = all.front().size();
  for (const Parts& parts : all) {
    const auto [end, _] =
        std::mismatch(parts.begin(), parts.end(), all.front().begin(), all.front().end());
    shared = std::min(shared, static_cast<std::size_t>(end - parts.begin()));
  }
  std::vector<std::string> names;
  for (const Parts& parts : all) {
    std::filesystem::path rest;
    for (std::size_t part = shared; part < parts.size(); ++part) rest /= parts[part];
    names.push_back(rest.string());
  }
  if (std::ranges::find(names, "") != names.end()) {
    names.assign(folders.begin(), folders.end());
  }
  std::vector<std::string> brief;
  std::ranges::transform(names, std::back_inserter(brief), shortened);
  return std::set(brief.begin(), brief.end()).size() == brief.size() ? brief : names;
}

void keep_one_version(std::vector<Run>& runs, std::vector<std::string>& warnings) {
  const auto end = [](const Run& run) {
    return std::tuple(run.text("/ended_at"), run.path, run.line);
  };
  const Run* newest = nullptr;
  for (const Run& run : runs) {
    const bool is_later = newest == nullptr || end(run) > end(*newest);
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
  const std::string verb = left_out == 1 ? " is" : " are";
  warnings.push_back(counted(left_out, "run") + (source.empty() ? "" : " in " + source) + verb +
                     " of another version of runahead than the last one there and" + verb +
                     " left out");
}

CellPairs pair_cells(std::span<const Run> first, std::span<const Run> second) {
  if (are_single(first) && are_single(second)) {
    return {.both = {{.first = pointers_to(first), .second = pointers_to(second)}}};
  }
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

void warn_of_shared_cpus(const std::vector<CellPair>& both, std::vector<std::string>& warnings) {
  const auto sharing = std::ranges::count_if(both, &CellPair::shares_cpus);
  if (sharing == 0) return;
  warnings.push_back("runs of " + counted(static_cast<std::size_t>(sharing), "cell") +
                     " shared CPUs with others: the times there are not compared");
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
  warnings.push_back("configs that are compared differ: " + text);
}

}  // namespace runahead::report
