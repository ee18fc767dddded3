#include "core/sweep/record_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "core/record/record_file.h"

namespace runahead::sweep {

namespace {

/// Where the bases of two sweeps first differ, as a JSON pointer; empty if nowhere.
std::string first_difference(const Json& left, const Json& right) {
  const Json differences = Json::diff(left, right);
  return differences.empty() ? "" : differences[0].at("path").get<std::string>();
}

/// The sweep.json of an earlier sweep; null if there is none.
Json read_earlier(const std::filesystem::path& path) {
  return std::filesystem::exists(path) ? read_json_file(path) : Json();
}

std::filesystem::path made(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder / "cells", error);
  if (error) throw Error("'" + folder.string() + "' could not be made: " + error.message());
  return folder;
}

}  // namespace

RecordStore::FolderLock::FolderLock(const std::filesystem::path& folder)
    : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw Error("'" + folder.string() + "' could not be opened");
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  if (errno != EWOULDBLOCK) {
    log_warning("'" + folder.string() + "' cannot be locked: run no other sweep in it");
    return;
  }
  ::close(descriptor_);
  throw ConfigError("another sweep is running in '" + folder.string() +
                    "'; wait for it, or choose another --out");
}

RecordStore::FolderLock::~FolderLock() { ::close(descriptor_); }

RecordStore::RecordStore(const std::filesystem::path& folder, const config::SweepConfig& sweep)
    : folder_(made(folder)), records_path_(folder_ / "records.jsonl"), lock_(folder_) {
  write_sweep(sweep);
}

std::vector<record::Record> RecordStore::read() const {
  return record::read_records(records_path_);
}

void RecordStore::append(const record::Record& record) {
  record::append_jsonl(records_path_, record);
}

void RecordStore::write_sweep(const config::SweepConfig& sweep) const {
  const std::filesystem::path path = folder_ / "sweep.json";
  const Json document = config::to_json(sweep);
  const Json before = read_earlier(path);
  if (before.is_object() && std::filesystem::exists(records_path_)) {
    const std::string difference = first_difference(before.value("base", Json()), document["base"]);
    if (!difference.empty()) {
      throw ConfigError("'" + folder_.string() +
                        "' holds the records of another sweep (its base differs at " + difference +
                        "); choose another --out, or remove that folder");
    }
  }
  write_file_atomically(path, dump_json(document, 2) + "\n");
}

}  // namespace runahead::sweep
