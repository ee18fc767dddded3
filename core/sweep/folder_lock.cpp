#include "core/sweep/folder_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/record/environment.h"

namespace runahead::sweep {

namespace {

/// On a full disk, no process is named.
void write_holder(int file) {
  const std::string host = record::host_name().value_or("unknown");
  const std::string holder = host + " " + std::to_string(::getpid()) + "\n";
  if (::ftruncate(file, 0) != 0) return;
  if (::pwrite(file, holder.data(), holder.size(), 0) < 0) return;
  static_cast<void>(::fsync(file));  // So that other machines see it.
}

/// " (process 12 on node1)"; empty if the file does not say.
std::string words_for_holder(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string host;
  long process = 0;
  if (!(file >> host >> process)) return "";
  return " (process " + std::to_string(process) + " on " + host + ")";
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder, const std::filesystem::path& file,
                       std::string_view user) {
  const std::filesystem::path path = folder / file;
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) {
    throw Error("'" + path.string() + "' could not be opened: " + std::strerror(errno));
  }
  const int error = try_lock_file(file_);
  if (error == 0) {
    write_holder(file_);
    return;
  }
  if (error != EAGAIN && error != EACCES) {
    log_warning("'" + folder.string() + "' cannot be locked (" + std::strerror(error) +
                "): run no other " + std::string(user) + " in it");
    return;
  }
  ::close(file_);
  throw ConfigError("another " + std::string(user) + " is running in '" + folder.string() + "'" +
                    words_for_holder(path) + "; wait for it, or choose another --out");
}

FolderLock::~FolderLock() {
  unlock_file(file_);
  ::close(file_);
}

bool is_locked(const std::filesystem::path& folder, const std::filesystem::path& file) {
  const int opened = ::open((folder / file).c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return false;
  const bool is_held = is_file_locked(opened);
  ::close(opened);
  return is_held;
}

std::optional<std::filesystem::path> lock_of_running_shard(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder / "shards", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::filesystem::path path = entry->path();
    if (path.extension() == ".lock" && is_locked(path.parent_path(), path.filename())) return path;
  }
  return std::nullopt;
}

void require_no_running_sweep(const std::filesystem::path& folder) {
  if (!is_locked(folder)) return;
  throw ConfigError("the whole sweep is running in '" + folder.string() + "'" +
                    words_for_holder(folder / "sweep.lock") +
                    ", which also runs this shard; wait for it, or choose another --out");
}

void require_no_running_shard(const std::filesystem::path& folder) {
  const auto path = lock_of_running_shard(folder);
  if (!path) return;
  throw ConfigError("shard " + path->stem().string() + " of the sweep is running in '" +
                    folder.string() + "'" + words_for_holder(*path) +
                    "; run the whole sweep once its shards have ended");
}

}  // namespace runahead::sweep
