#include "core/base/result_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace runahead {

namespace fs = std::filesystem;

namespace {

/// By one of these files, a reader knows which command's results a folder holds.
constexpr const char* kResults[] = {"record.json", "sweep.json", "tune.json", "reproduce.json",
                                    "records.jsonl"};

/// A folder counts if something is in it: a command that is killed leaves empty ones.
bool holds(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? !fs::is_empty(path, ignored) : fs::exists(path, ignored);
}

}  // namespace

fs::path new_result_folder(const std::string& name) {
  const fs::path first = fs::path("runs") / (utc_timestamp() + "-" + name);
  fs::path folder = first;
  for (int number = 2; fs::exists(folder); ++number) {
    folder = first.string() + "-" + std::to_string(number);
  }
  return folder;
}

void require_no_results(const fs::path& folder, const std::vector<std::string>& own,
                        const std::vector<std::string>& more) {
  std::vector<std::string> files(std::begin(kResults), std::end(kResults));
  files.insert(files.end(), more.begin(), more.end());
  for (const std::string& file : files) {
    if (std::ranges::find(own, file) != own.end() || !holds(folder / file)) continue;
    throw ConfigError("'" + folder.string() + "' holds a " + file +
                      "; give a folder without results");
  }
}

FolderClaim::FolderClaim(const fs::path& folder)
    : folder_(fs::absolute(folder)),
      file_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (file_ < 0 || ::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(file_);
  throw ConfigError("another command is writing its results to '" + folder.string() +
                    "'; wait for it, or give another folder");
}

FolderClaim::~FolderClaim() {
  if (file_ < 0) return;
  ::flock(file_, LOCK_UN);
  ::close(file_);
}

void FolderClaim::require_in_place() const {
  struct stat claimed {};
  struct stat found {};
  if (file_ < 0 || ::fstat(file_, &claimed) != 0) return;
  if (::stat(folder_.c_str(), &found) == 0 && claimed.st_dev == found.st_dev &&
      claimed.st_ino == found.st_ino) {
    return;
  }
  throw Error("'" + folder_.string() + "' was moved or removed while results were written to it");
}

ResultFolder::ResultFolder(fs::path path, const std::string& name,
                           const std::vector<std::string>& more)
    : path_(std::move(path)) {
  path_.empty() ? create_new(name) : create();
  // First of all: until then, another command may end and leave its results.
  claim_.emplace(path_);
  require_no_results(path_, {}, more);
}

void ResultFolder::create() {
  std::error_code ignored;
  for (fs::path folder = fs::absolute(path_); !fs::exists(folder, ignored);
       folder = folder.parent_path()) {
    if (folder.has_filename()) made_.push_back(folder);  // Not once more for a slash at the end.
  }
  make_folder(path_);
}

void ResultFolder::create_new(const std::string& name) {
  std::error_code error;
  bool is_new = false;
  do {
    path_ = new_result_folder(name);
    if (!fs::exists(path_.parent_path())) made_ = {fs::absolute(path_.parent_path())};
    make_folder(path_.parent_path());
    is_new = fs::create_directory(path_, error);
  } while (!is_new && !error);  // Another command was faster.
  if (!is_new) make_folder(path_);
  made_.insert(made_.begin(), fs::absolute(path_));
}

ResultFolder::~ResultFolder() {
  std::error_code error;
  for (const fs::path& folder : made_) {
    if (!fs::remove(folder, error)) return;  // It is not empty.
  }
}

}  // namespace runahead
