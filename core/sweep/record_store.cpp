#include "core/sweep/record_store.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/json_pointer.h"
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/record/record_file.h"

namespace runahead::sweep {

namespace {

/// Keys of a sweep config that do not affect which runs there are.
constexpr const char* kFreeKeys[] = {"order", "order_seed", "timeout", "memory_limit", "jobs"};

/// `value number 2 of /axes "/batches"` for "/axes/~1batches/1", or "-" there: past the last.
std::string place_text(const Json& document, const std::string& pointer) {
  const Json::json_pointer place(pointer);
  const Json::json_pointer parent = place.parent_pointer();
  if (!document.contains(parent) || !document.at(parent).is_array()) return pointer_text(pointer);
  const std::string& index = place.back();
  const std::size_t number =
      1 + (index == "-" ? document.at(parent).size() : std::size_t{std::stoul(index)});
  return "value number " + std::to_string(number) + " of " + pointer_text(parent.to_string());
}

/// Where and how the resolved configs first differ: `value number 2 of /axes "/batches" is 3
/// in its sweep.json and 2 in this config`; empty if nowhere.
std::string first_difference(const Json& before, const Json& now) {
  constexpr std::size_t kLongestShown = 60;
  const Json differences = Json::diff(before, now);
  if (differences.empty()) return "";
  const Json& first = differences[0];
  const auto pointer = first.at("path").get<std::string>();
  const auto shown = [](const Json& value) { return shortened(dump_json(value), kLongestShown); };
  return place_text(before, pointer) + " is " +
         (first.at("op") == "add" ? "missing" : shown(before.at(Json::json_pointer(pointer)))) +
         " in its sweep.json and " +
         (first.at("op") == "remove" ? "missing" : shown(first.at("value"))) + " in this config";
}

/// The part of a resolved sweep config that determines its runs.
Json without_free_keys(Json document) {
  for (const char* key : kFreeKeys) document.erase(key);
  return document;
}

/// The resolved config of an earlier sweep. Keys missing from a sweep.json of an earlier version
/// have their defaults.
Json read_earlier_sweep(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) {
    throw ConfigError(
        "'" + path.parent_path().string() +
        "' holds records but no sweep.json, so it is unknown which sweep they belong to; choose "
        "another --out, or --fresh to set them aside");
  }
  try {
    const Json document = read_json_file(path, kSweepBounds);
    return config::to_json(config::read_sweep(document, path.string(), path.parent_path()));
  } catch (const ConfigError& error) {
    throw ConfigError(std::string(error.what()) +
                      "\nso it is unknown which sweep the records there belong to; choose another "
                      "--out, or --fresh to set them aside");
  }
}

std::filesystem::path made(const std::filesystem::path& folder) {
  require_no_results(folder, /*own=*/{"sweep.json", "records.jsonl"});
  make_folder(folder);
  return folder;
}

/// Makes the first of earlier-1, earlier-2, … that does not exist yet.
std::filesystem::path make_earlier_folder(const std::filesystem::path& folder) {
  std::error_code error;
  for (int number = 1; !error; ++number) {
    const std::filesystem::path earlier = folder / ("earlier-" + std::to_string(number));
    if (std::filesystem::create_directory(earlier, error)) return earlier;
  }
  throw Error("'" + folder.string() + "': no folder can be made in it: " + error.message());
}

/// Moves what a sweep left, its records first, so that an interruption leaves no record that a
/// later sweep would take for its own.
void set_aside(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "sweep.json") &&
      !std::filesystem::exists(folder / "records.jsonl") && record::shard_files(folder).empty()) {
    return;
  }
  const std::filesystem::path earlier = make_earlier_folder(folder);
  for (const char* name : {"records.jsonl", "shards", "sweep.json", "cells"}) {
    std::error_code error;
    std::filesystem::rename(folder / name, earlier / name, error);
    if (error && error != std::errc::no_such_file_or_directory) {
      throw Error("'" + (folder / name).string() + "' cannot be set aside: " + error.message());
    }
  }
}

/// Makes the names of the folder's new files durable. Not every file system supports this, and no
/// sweep fails without it.
void flush_folder(const std::filesystem::path& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  static_cast<void>(::fsync(file));
  ::close(file);
}

void mend(const std::filesystem::path& records_path) {
  const std::uint64_t cut_bytes = record::cut_torn_line(records_path);
  if (cut_bytes == 0) return;
  log_warning(records_path.string() + ": a crash or a full disk left its last line torn; its " +
              std::to_string(cut_bytes) + " bytes are cut off, and that run is repeated");
}

/// Cuts off the partial record of a failed append. If that fails too, the next sweep in the folder
/// does it.
void cut_off_after_failure(const std::filesystem::path& records_path) {
  try {
    static_cast<void>(record::cut_torn_line(records_path));
  } catch (const Error& error) {
    log_warning(error.what());
  }
}

}  // namespace

RecordStore::RecordStore(const std::filesystem::path& folder, const config::SweepConfig& sweep,
                         EarlierRecords earlier, const std::optional<Shard>& shard)
    : folder_(made(folder)),
      records_path_(shard ? shard_records(folder_, *shard) : folder_ / "records.jsonl") {
  const Json document = config::to_json(sweep);
  if (shard) {
    open_shard(document, earlier, *shard);
    return;
  }
  if (is_locked(folder_)) lock_.emplace(folder_);  // Names the sweep that is running there.
  claim_.emplace(folder_);
  lock_.emplace(folder_);
  if (earlier == EarlierRecords::kSetAside) set_aside(folder_);
  make_folder(cells_folder());
  if (has_records(folder_)) require_same_sweep(document, earlier);
  mend(records_path_);
  write_file_atomically(folder_ / "sweep.json", dump_json(document, 2) + "\n");
  std::ofstream(records_path_, std::ios::app).flush();
  flush_folder(folder_);
}

/// Shards start at the same time, on machines whose process ids may coincide, so each shard uses a
/// temporary name of its own for the files that all of them write.
void RecordStore::open_shard(const Json& document, EarlierRecords earlier, const Shard& shard) {
  RUNAHEAD_REQUIRE(earlier != EarlierRecords::kSetAside, "a shard sets no records aside");
  make_folder(records_path_.parent_path());
  make_folder(cells_folder());
  shard_lock_.emplace(
      folder_, std::filesystem::path("shards") / (records_path_.stem() += ".lock"),
      "sweep of shard " + std::to_string(shard.index) + "/" + std::to_string(shard.count));
  if (std::getenv(kAwaitedShard) == nullptr) require_no_running_sweep(folder_);
  const bool is_known = has_records(folder_);
  if (is_known) require_same_sweep(document, earlier);
  mend(records_path_);
  if (!is_known || earlier == EarlierRecords::kExtend) {
    const auto own = std::filesystem::path(records_path_).replace_extension(".json");
    write_file_atomically(own, dump_json(document, 2) + "\n");
    std::filesystem::rename(own, folder_ / "sweep.json");
  }
  std::ofstream(records_path_, std::ios::app).flush();
  flush_folder(folder_);
}

EarlierRuns RecordStore::read_earlier(const Plan& plan, const VisitRun& visit) const {
  if (!lock_) return read_earlier_runs(plan, folder_ / "records.jsonl", {records_path_}, visit);
  merge_shards(folder_);
  return read_earlier_runs(plan, records_path_, {}, visit);
}

void RecordStore::append(const record::Record& record) {
  try {
    if (claim_) claim_->require_in_place();
    record::append_jsonl(records_path_, record);
  } catch (const Error& error) {
    cut_off_after_failure(records_path_);
    throw Error(
        std::string(error.what()) +
        "; mend that and run the same command again, without --fresh: it goes on from here");
  }
}

bool has_records(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files = record::shard_files(folder);
  files.push_back(folder / "records.jsonl");
  return std::ranges::any_of(files, [](const std::filesystem::path& file) {
    std::error_code missing;
    const std::uintmax_t bytes = std::filesystem::file_size(file, missing);
    return !missing && bytes > 0;
  });
}

void RecordStore::require_same_sweep(const Json& document, EarlierRecords earlier) const {
  const Json before = read_earlier_sweep(folder_ / "sweep.json");
  if (earlier == EarlierRecords::kExtend) {
    const std::string difference =
        first_difference({{"base", before["base"]}}, {{"base", document["base"]}});
    if (difference.empty()) return;
    throw ConfigError("'" + folder_.string() +
                      "' holds the records of another sweep: " + difference +
                      ", and --extend allows only other axes and repeats; choose another --out, or "
                      "--fresh to set the old records aside");
  }
  const std::string difference =
      first_difference(without_free_keys(before), without_free_keys(document));
  if (difference.empty()) return;
  throw ConfigError("'" + folder_.string() + "' holds the records of another sweep: " + difference +
                    "; choose another --out, or --fresh to set the old records aside, or, if only "
                    "axes or repeats differ, --extend to keep them and run the new cells");
}

}  // namespace runahead::sweep
