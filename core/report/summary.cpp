#include "core/report/summary.h"

#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "core/report/cell_pairs.h"
#include "core/report/comparison.h"
#include "core/report/finding.h"
#include "core/report/labels.h"
#include "core/report/run_tables.h"
#include "core/report/two_sweeps_text.h"

namespace runahead::report {
namespace {

constexpr int kSchemaVersion = 1;

void append(std::vector<std::string>& texts, const std::vector<std::string>& more) {
  texts.insert(texts.end(), more.begin(), more.end());
}

/// Whether the folders are two different sweeps or two different single runs.
bool are_comparable(const std::vector<std::filesystem::path>& folders) {
  return folders.size() == 2 && is_sweep(folders[0]) == is_sweep(folders[1]) &&
         !std::filesystem::equivalent(folders[0], folders[1]);
}

Json run_json(const Run& run) {
  return {{"path", run.path.string()},
          {"line", run.line},
          {"samples", run.samples.string()},
          {"name", run_name(run)}};
}

Json comparison_json(const Comparison& comparison,
                     const std::map<const Run*, std::size_t>& place_of) {
  Json lines = Json::array();
  for (const Line& line : comparison.lines) {
    Json runs = Json::array();
    for (const Run* run : line.runs) runs.push_back(place_of.at(run));
    lines.push_back({{"label", line.label},
                     {"name", line.name},
                     {"source", line.main().source},
                     {"policy", line.policy},
                     {"policy_place", or_null(policy_place(line.policy))},
                     {"sentence", sentence(line)},
                     {"shown_repeat", line.main().at("/repeat")},
                     {"runs", std::move(runs)}});
  }
  Json tables = Json::array();
  for (const Table& table : tables_of(comparison)) {
    if (!table.rows.empty()) tables.push_back(to_json(table));
  }
  return {{"title", comparison.title},        {"subtitle", comparison.subtitle},
          {"slug", comparison.slug},          {"verdict", verdict(std::span(&comparison, 1))},
          {"headline", headline(comparison)}, {"lines", std::move(lines)},
          {"tables", std::move(tables)}};
}

}  // namespace

Summary::Summary(const std::vector<std::filesystem::path>& folders,
                 std::vector<std::string> warnings)
    : warnings_(std::move(warnings)) {
  std::vector<std::vector<Run>> sides;
  for (const std::filesystem::path& folder : folders) {
    FoundRuns found = read_runs(folder);
    append(warnings_, found.warnings);
    if (found.runs.empty()) empty_folders_.push_back(folder.string());
    sides.push_back(std::move(found.runs));
  }
  if (!empty_folders_.empty()) return;
  if (are_comparable(folders)) compare_two(folders, sides);
  if (two_sweeps_) return;
  const std::vector<std::string> sources =
      folders.size() > 1 ? sources_of(folders) : std::vector<std::string>(1);
  for (std::size_t place = 0; place < sides.size(); ++place) {
    std::vector<Run>& side = sides[place];
    for (Run& run : side) run.source = sources[place];
    keep_one_version(side, warnings_);
    runs_.insert(runs_.end(), std::make_move_iterator(side.begin()),
                 std::make_move_iterator(side.end()));
  }
}

void Summary::compare_two(const std::vector<std::filesystem::path>& folders,
                          const std::vector<std::vector<Run>>& sides) {
  const std::vector<std::string> sources = sources_of(folders);
  std::vector<std::string> found;
  const auto version_of_side = [&](std::vector<Run> runs, const std::string& source) {
    for (Run& run : runs) run.source = source;
    keep_one_version(runs, found);
    return runs;
  };
  std::vector<Run> second = version_of_side(sides[1], sources[1]);
  std::vector<Run> runs = version_of_side(sides[0], sources[0]);
  const std::size_t first_count = runs.size();
  runs.insert(runs.end(), std::make_move_iterator(second.begin()),
              std::make_move_iterator(second.end()));
  const std::span<const Run> all(runs);
  TwoSweeps two = compare_sweeps(all.first(first_count), all.subspan(first_count));
  if (two.both.empty()) {
    warnings_.push_back(sources[0] + " and " + sources[1] +
                        " have no cell in common: they are shown together, not compared");
    return;
  }
  warn_of_shared_cpus(two.both, found);
  warn_of_differences(two.both, sources[0], sources[1], found);
  append(warnings_, found);
  runs_ = std::move(runs);  // Keeps the runs' addresses, which `two` holds.
  two_sweeps_ = std::move(two);
}

std::string Summary::to_markdown() const {
  return two_sweeps_ ? report::to_markdown(*two_sweeps_)
                     : report::to_markdown(to_table(repeats_table(runs_)));
}

std::string Summary::to_csv() const {
  return two_sweeps_ ? report::to_csv(*two_sweeps_) : report::to_csv(repeats_table(runs_));
}

Json Summary::to_json() const {
  std::map<const Run*, std::size_t> place_of;
  Json runs = Json::array();
  for (const Run& run : runs_) {
    place_of.emplace(&run, runs.size());
    runs.push_back(run_json(run));
  }
  std::map<const Run*, std::string> slug_of;
  Json comparisons = Json::array();
  const std::vector<Comparison> all = compare(runs_, two_sweeps_.has_value());
  for (const Comparison& comparison : all) {
    comparisons.push_back(comparison_json(comparison, place_of));
    for (const Line& line : comparison.lines) {
      for (const Run* run : line.runs) slug_of[run] = comparison.slug;
    }
  }
  return {{"schema_version", kSchemaVersion},
          {"verdict", two_sweeps_ ? headline(*two_sweeps_) : verdict(all)},
          {"facts", origin_of(runs_)},
          {"overview", overview(runs_)},
          {"warnings", warnings_},
          {"runs", std::move(runs)},
          {"comparisons", std::move(comparisons)},
          {"runs_table",
           report::to_json(table_of_runs(runs_, [&](const Run& run) { return slug_of[&run]; }))},
          {"two_sweeps", two_sweeps_ ? report::to_json(*two_sweeps_) : Json(nullptr)}};
}

}  // namespace runahead::report
