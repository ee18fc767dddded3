#include "core/base/result_folder.h"

#include <fcntl.h>
#include <sys/file.h>
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

fs::path absolute_result_folder(const std::string& out, const std::string& name) {
  return fs::absolute(out.empty() ? new_result_folder(name) : fs::path(out));
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
    : file_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
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

ResultFolder::ResultFolder(fs::path path, const std::vector<std::string>& more)
    : path_(std::move(path)) {
  std::error_code ignored;
  for (fs::path folder = fs::absolute(path_); !fs::exists(folder, ignored);
       folder = folder.parent_path()) {
    made_.push_back(folder);
  }
  make_folder(path_);
  // First of all: until then, another command may end and leave its results.
  claim_.emplace(path_);
  require_no_results(path_, {}, more);
}

ResultFolder::~ResultFolder() {
  std::error_code error;
  for (const fs::path& folder : made_) {
    if (!fs::remove(folder, error)) return;  // It is not empty.
  }
}

}  // namespace runahead
