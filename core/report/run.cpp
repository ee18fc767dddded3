#include "core/report/run.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/error.h"
#include "core/base/grouped.h"
#include "core/base/number_text.h"
#include "core/config/sweep_config.h"
#include "core/record/figures.h"
#include "core/record/record.h"
#include "core/record/record_file.h"

namespace runahead::report {
namespace {

constexpr std::size_t kCellIdDigits = 12;  ///< Digits of the id in the name of a cell's folder.
/// Largest size and depth of record files.
constexpr JsonBounds kBounds{.bytes = std::size_t{256} << 20, .depth = 2 * JsonBounds{}.depth + 1};

/// Parses one record. If `text` is not a record, adds a warning to `found` and returns nullopt.
std::optional<Json> parse(const std::string& text, const std::string& source, FoundRuns& found) {
  Json record;
  try {
    record = parse_json(text, source, kBounds);
  } catch (const ConfigError& error) {
    const std::string problem =
        is_json(text) ? error.what() : source + " is torn: it is not valid JSON";
    found.warnings.push_back(problem + "; this record is left out");
    return std::nullopt;
  }
  if (!record.is_object()) {
    found.warnings.push_back(source + " is not a JSON object; it is left out");
    return std::nullopt;
  }
  if (!record.contains("schema_version")) {
    found.warnings.push_back(source + " is not a record: its schema_version is missing; allowed: " +
                             std::to_string(record::kSchemaVersion) + "; it is left out");
    return std::nullopt;
  }
  if (record.contains("time") && record["time"].is_object()) {
    record["time"].erase("batch_finished_seconds");
  }
  return record;
}

/// Adds one warning for each other version, however many records have it.
void warn_of_versions(FoundRuns& found) {
  const auto version_of = [](const Run* run) { return dump_json(run->at("/schema_version")); };
  for (const auto& alike : grouped(pointers_to(found.runs), version_of)) {
    const std::string version = version_of(alike.front());
    if (version == std::to_string(record::kSchemaVersion)) continue;
    const Run& first = *alike.front();
    const std::string where =
        first.path.string() + (first.is_single() ? "" : ", line " + std::to_string(first.line));
    const std::string others =
        alike.size() == 1 ? " has"
                          : " and " + std::to_string(alike.size() - 1) + " more records have";
    found.warnings.push_back(where + others + " schema_version " + version +
                             ", and this report knows " + std::to_string(record::kSchemaVersion) +
                             ": figures may be missing or mean something else");
  }
}

std::string key_text(const Json& value) {
  return value.is_string() ? value : Json(dump_json(value));
}

/// Names a record however it is written; unique for each line if it does not say when it ended.
std::string origin_key(const Run& run) {
  if (run.text("/ended_at").empty()) return run.path.string() + ":" + std::to_string(run.line);
  return canonical(Json::array(
      {run.at("/id"), run.at("/repeat"), run.at("/ended_at"), run.at("/environment/git")}));
}

/// Gathers the records of a sweep's files. The last record of each cell and repeat counts.
class SweepReader {
 public:
  SweepReader(std::filesystem::path folder, FoundRuns& found)
      : folder_(std::move(folder)), found_(found) {}

  /// @param is_shard  Skips records that were read before, because they have been merged. The
  /// merged line may be of another version, with other keys.
  void read_file(const std::filesystem::path& path, bool is_shard) {
    std::ifstream file(path);
    if (!file || std::filesystem::is_directory(path)) {
      found_.warnings.push_back(path.string() + " cannot be read and is left out");
      return;
    }
    std::string text;
    for (std::size_t line = 1; std::getline(file, text); ++line) {
      if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
      const bool is_new = known_.insert(std::hash<std::string>{}(text)).second;
      if (is_shard && !is_new) continue;
      auto record = parse(text, path.string() + ", line " + std::to_string(line), found_);
      if (!record) continue;
      Run run{.record = std::move(*record), .path = path, .line = line};
      const std::size_t origin = std::hash<std::string>{}(origin_key(run));
      if (is_shard && known_.contains(origin)) continue;
      if (!is_shard) known_.insert(origin);
      add(std::move(run));
    }
  }

 private:
  void add(Run run) {
    const std::string id = run.text("/id");
    if (id.empty()) {
      found_.warnings.push_back(run.path.string() + ", line " + std::to_string(run.line) +
                                " has no id; it is left out");
      return;
    }
    const Json& number = run.at("/repeat");
    const std::string repeat = number.is_null() ? "0" : key_text(number);
    const std::string cell = id.substr(0, kCellIdDigits) + "-" + repeat;
    run.samples = folder_ / "cells" / cell / "samples.csv";
    const auto [place, is_new] = place_of_.emplace(std::pair(id, repeat), found_.runs.size());
    if (is_new) found_.runs.emplace_back();
    found_.runs[place->second] = std::move(run);
  }

  std::filesystem::path folder_;
  FoundRuns& found_;
  std::unordered_set<std::size_t> known_{};  ///< Hashes of lines, and of merged records' origins.
  std::map<std::pair<std::string, std::string>, std::size_t> place_of_{};  ///< By id and repeat.
};

/// The index of each combination of axis values in the folder's sweep. Empty if `sweep.json` is
/// missing or damaged.
std::unordered_map<std::string, std::size_t> places_of_cells(const std::filesystem::path& folder) {
  std::unordered_map<std::string, std::size_t> places;
  const std::filesystem::path path = folder / "sweep.json";
  if (!std::filesystem::exists(path)) return places;
  try {
    const config::SweepConfig sweep =
        config::read_sweep(read_json_file(path, kBounds), path.string(), folder);
    const std::size_t count = config::combination_count(sweep);
    for (std::size_t index = 0; index < count; ++index) {
      places.emplace(canonical(config::axes_values(sweep, index)), index);
    }
  } catch (const Error&) {
    places.clear();
  }
  return places;
}

/// The record's axes and, for those that it lacks, the values in its config.
Json completed_axes(const Run& run, const std::vector<std::string>& pointers) {
  Json axes = run.axes();
  for (const std::string& pointer : pointers) {
    const Json& value = run.at("/config" + pointer);
    if (!value.is_null() && !axes.contains(pointer)) axes[pointer] = value;
  }
  return axes;
}

/// Gives runs from before `--extend` added an axis the axes of their cell, which other runs of the
/// same id name as the sweep does, or else its values in their configs.
template <typename Places>
void add_missing_axes(const Places& places, std::vector<Run>& runs) {
  const std::vector<std::string> pointers = keys_of(pointers_to(runs), "/axes");
  const auto is_placed = [&](const Run& run) { return places.contains(canonical(run.axes())); };
  std::unordered_map<std::string, Json> axes_of;
  for (const Run& run : runs) {
    if (is_placed(run)) axes_of.emplace(run.text("/id"), run.axes());
  }
  for (Run& run : runs) {
    if (is_placed(run)) continue;
    const auto alike = axes_of.find(run.text("/id"));
    run.record["axes"] = alike != axes_of.end() ? alike->second : completed_axes(run, pointers);
  }
}

/// Orders runs by repeat, then by the place of their cell in the sweep: their records are in the
/// order in which they ended. Runs of cells that the sweep lacks come last.
void order_by_cell(const std::filesystem::path& folder, std::vector<Run>& runs) {
  const std::unordered_map<std::string, std::size_t> places = places_of_cells(folder);
  if (places.empty()) return;
  add_missing_axes(places, runs);
  std::multimap<std::pair<double, std::size_t>, Run> ordered;  // By repeat and place.
  for (Run& run : runs) {
    const auto known = places.find(canonical(run.axes()));
    const std::size_t place = known == places.end() ? places.size() : known->second;
    ordered.emplace(std::pair(run.number("/repeat").value_or(0.0), place), std::move(run));
  }
  runs.clear();
  for (auto& [key, run] : ordered) runs.push_back(std::move(run));
}

void read_sweep(const std::filesystem::path& folder, FoundRuns& found) {
  SweepReader reader(folder, found);
  const std::filesystem::path merged = folder / "records.jsonl";
  if (std::filesystem::exists(merged)) reader.read_file(merged, false);
  for (const std::filesystem::path& shard : record::shard_files(folder)) {
    reader.read_file(shard, true);
  }
  order_by_cell(folder, found.runs);
}

void read_run(const std::filesystem::path& folder, FoundRuns& found) {
  const std::filesystem::path path = folder / "record.json";
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path)) {
    found.warnings.push_back(path.string() + " cannot be read and is left out");
    return;
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (auto record = parse(text, path.string(), found)) {
    found.runs.push_back(
        {.record = std::move(*record), .path = path, .samples = folder / "samples.csv"});
  }
}

template <typename TextOf>
std::vector<std::string> texts_of(const std::vector<Run>& runs, const TextOf& text_of) {
  std::vector<std::string> texts;
  for (const Run& run : runs) {
    if (std::string text = text_of(run); !text.empty()) texts.push_back(std::move(text));
  }
  return texts;
}

/// The first text, and the number of other distinct texts.
std::string first_of(const std::vector<std::string>& texts) {
  if (texts.empty()) return "";
  const std::size_t others = grouped(texts, std::identity()).size() - 1;
  return texts.front() + (others == 0 ? "" : " and " + counted(others, "other"));
}

/// "2026-11-24 20:18 UTC" for "2026-11-24T20:18:23Z"; any other text unchanged.
std::string minute_of(const std::string& time) {
  constexpr std::size_t kTime = 10;     // End of the date.
  constexpr std::size_t kSeconds = 16;  // End of the minutes.
  if (time.size() <= kSeconds || time[kTime] != 'T' || time.back() != 'Z') return time;
  return time.substr(0, kTime) + " " + time.substr(kTime + 1, kSeconds - kTime - 1) + " UTC";
}

/// The period from the earliest to the latest time. Such texts sort by time.
std::string period_of(const std::vector<std::string>& times) {
  if (times.empty()) return "";
  const auto [first, last] = std::ranges::minmax_element(times);
  const std::string from = minute_of(*first);
  const std::string to = minute_of(*last);
  return from == to ? from : from + " to " + to;
}

}  // namespace

const Json& value_at(const Json& document, std::string_view pointer) {
  static const Json null = nullptr;
  try {
    const Json::json_pointer place{std::string(pointer)};
    return document.contains(place) ? document.at(place) : null;
  } catch (const Json::exception&) {
    return null;
  }
}

std::string canonical(const Json& value) {
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<const Run*> pointers_to(std::span<const Run> runs) {
  std::vector<const Run*> pointers;
  for (const Run& run : runs) pointers.push_back(&run);
  return pointers;
}

std::vector<std::string> keys_of(const std::vector<const Run*>& runs, std::string_view pointer) {
  std::vector<std::string> keys;
  for (const Run* run : runs) {
    for (const auto& item : run->object(pointer).items()) {
      if (std::ranges::find(keys, item.key()) == keys.end()) keys.push_back(item.key());
    }
  }
  return keys;
}

std::optional<double> Run::number(std::string_view pointer) const {
  return record::number_at(record, pointer);
}

std::optional<double> Run::measured(std::string_view pointer) const {
  return record::measured_at(record, pointer);
}

std::string Run::text(std::string_view pointer) const {
  const Json& value = at(pointer);
  return value.is_string() ? value.get<std::string>() : "";
}

const Json& Run::at(std::string_view pointer) const { return value_at(record, pointer); }

const Json& Run::object(std::string_view pointer) const {
  static const Json empty = Json::object();
  const Json& value = at(pointer);
  return value.is_object() ? value : empty;
}

std::string Run::status() const {
  const std::string status = text("/status");
  return status.empty() ? "unknown" : status;
}

bool is_sweep(const std::filesystem::path& folder) {
  return std::filesystem::exists(folder / "records.jsonl") || !record::shard_files(folder).empty();
}

FoundRuns read_runs(const std::filesystem::path& folder) {
  FoundRuns found;
  if (is_sweep(folder)) read_sweep(folder, found);
  if (std::filesystem::exists(folder / "record.json")) read_run(folder, found);
  warn_of_versions(found);
  return found;
}

std::string version_of(const Run& run) {
  const std::string number = run.text("/environment/runahead");
  return number.empty() ? "" : number + " (" + run.text("/environment/git") + ")";
}

Json origin_of(const std::vector<Run>& runs) {
  Json facts = Json::array();
  const auto add = [&facts](const char* name, const std::string& text) {
    if (!text.empty()) facts.push_back({{"name", name}, {"text", text}});
  };
  const auto at = [&runs](const char* pointer) {
    return texts_of(runs, [pointer](const Run& run) { return run.text(pointer); });
  };
  add("date", period_of(at("/ended_at")));
  add("host", first_of(at("/environment/host")));
  add("command", first_of(at("/command")));
  add("runahead", first_of(texts_of(runs, version_of)));
  return facts;
}

}  // namespace runahead::report
