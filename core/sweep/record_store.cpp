#include "core/sweep/record_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/record/record_file.h"

namespace runahead::sweep {

namespace {

/// What makes two sweeps the same one: their records may lie in one file.
Json identity(const Json& sweep) {
  return Json{{"base", sweep.value("base", Json())}, {"axes", sweep.value("axes", Json())}};
}

/// The sweep.json of an earlier sweep; null if there is none.
Json read_earlier(const std::filesystem::path& path) {
  return std::filesystem::exists(path) ? read_json_file(path) : Json();
}

}  // namespace

RecordStore::RecordStore(std::filesystem::path folder, const config::SweepConfig& sweep)
    : folder_(std::move(folder)), records_path_(folder_ / "records.jsonl") {
  std::error_code error;
  std::filesystem::create_directories(cells_folder(), error);
  if (error) throw Error("'" + folder_.string() + "' could not be made: " + error.message());
  lock();
  try {
    write_sweep(sweep);
  } catch (...) {
    ::close(lock_descriptor_);
    throw;
  }
}

RecordStore::~RecordStore() { ::close(lock_descriptor_); }

std::vector<record::Record> RecordStore::read() const {
  return record::read_records(records_path_);
}

void RecordStore::append(const record::Record& record) {
  record::append_jsonl(records_path_, record);
}

void RecordStore::lock() {
  lock_descriptor_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_descriptor_ < 0) throw Error("'" + folder_.string() + "' could not be opened");
  if (::flock(lock_descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(lock_descriptor_);
  throw ConfigError("another sweep is running in '" + folder_.string() +
                    "'; wait for it, or choose another --out");
}

void RecordStore::write_sweep(const config::SweepConfig& sweep) const {
  const std::filesystem::path path = folder_ / "sweep.json";
  const Json document = config::to_json(sweep);
  const Json before = read_earlier(path);
  if (before.is_object() && std::filesystem::exists(records_path_) &&
      identity(before) != identity(document)) {
    throw ConfigError("'" + folder_.string() +
                      "' holds the records of another sweep (its base or axes differ); choose "
                      "another --out, or remove that folder");
  }
  write_file_atomically(path, dump_json(document, 2) + "\n");
}

}  // namespace runahead::sweep
