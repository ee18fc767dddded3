#include "core/report/run.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <unordered_set>
#include <utility>

#include "core/base/error.h"
#include "core/record/figures.h"
#include "core/record/record.h"
#include "core/record/record_file.h"

namespace runahead::report {
namespace {

constexpr std::size_t kCellIdDigits = 12;  ///< Of the id, in the name of a cell's folder.
/// As large and as deep as record files may be.
constexpr JsonBounds kBounds{.bytes = std::size_t{256} << 20, .depth = 2 * JsonBounds{}.depth + 1};

/// Reads one record into `found`; a text that is none becomes a warning.
std::optional<Json> parse(const std::string& text, const std::string& source, FoundRuns& found) {
  Json record;
  try {
    record = parse_json(text, source, kBounds);
  } catch (const ConfigError& error) {
    found.warnings.push_back(std::string(error.what()) + "; this record is left out");
    return std::nullopt;
  }
  if (!record.is_object()) {
    found.warnings.push_back(source + " is not a JSON object; it is left out");
    return std::nullopt;
  }
  const Json& version = value_at(record, "/schema_version");
  if (version != record::kSchemaVersion) {
    found.warnings.push_back(source + " has schema_version " + dump_json(version) +
                             ", and this report knows " + std::to_string(record::kSchemaVersion) +
                             ": figures may be missing or mean something else");
  }
  if (record.contains("time") && record["time"].is_object()) {
    record["time"].erase("batch_finished_seconds");
  }
  return record;
}

std::string key_text(const Json& value) {
  return value.is_string() ? value : Json(dump_json(value));
}

void read_sweep(const std::filesystem::path& folder, FoundRuns& found) {
  std::vector<std::filesystem::path> paths = record::shard_files(folder);
  const std::filesystem::path merged = folder / "records.jsonl";
  if (std::filesystem::exists(merged)) paths.insert(paths.begin(), merged);
  std::map<std::pair<std::string, std::string>, std::size_t> place_of;
  std::unordered_set<std::size_t> known;
  std::string text;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path);
    if (!file || std::filesystem::is_directory(path)) {
      found.warnings.push_back(path.string() + " cannot be read and is left out");
      continue;
    }
    for (std::size_t line = 1; std::getline(file, text); ++line) {
      if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
      const bool is_new_line = known.insert(std::hash<std::string>{}(text)).second;
      if (!is_new_line && path != merged) continue;
      auto record = parse(text, path.string() + ", line " + std::to_string(line), found);
      if (!record) continue;
      const std::string id = key_text(value_at(*record, "/id"));
      const Json& number = value_at(*record, "/repeat");
      const std::string repeat = number.is_null() ? "0" : key_text(number);
      const std::string cell = id.substr(0, kCellIdDigits) + "-" + repeat;
      Run run{.record = std::move(*record),
              .path = path,
              .line = line,
              .samples = folder / "cells" / cell / "samples.csv"};
      const auto [place, is_new] = place_of.emplace(std::pair(id, repeat), found.runs.size());
      if (is_new) {
        found.runs.push_back(std::move(run));
      } else {
        found.runs[place->second] = std::move(run);
      }
    }
  }
}

void read_run(const std::filesystem::path& folder, FoundRuns& found) {
  const std::filesystem::path path = folder / "record.json";
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (auto record = parse(text, path.string(), found)) {
    found.runs.push_back(
        {.record = std::move(*record), .path = path, .samples = folder / "samples.csv"});
  }
}

}  // namespace

const Json& value_at(const Json& document, std::string_view pointer) {
  static const Json null = nullptr;
  const Json::json_pointer place{std::string(pointer)};
  return document.contains(place) ? document.at(place) : null;
}

std::string canonical(const Json& value) {
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<const Run*> pointers_to(const std::vector<Run>& runs) {
  std::vector<const Run*> pointers;
  for (const Run& run : runs) pointers.push_back(&run);
  return pointers;
}

std::optional<double> Run::number(std::string_view pointer) const {
  return record::number_at(record, pointer);
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
  return found;
}

}  // namespace runahead::report
