#include "core/sweep/cell_cgroup.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/memory/cgroup.h"

namespace runahead::sweep {

namespace fs = std::filesystem;

struct CellCgroup::FileNames {
  const char* limit;
  const char* peak;
  const char* kills;  ///< Lines of "key value"; one key is `oom_kill`.
};

namespace {

constexpr int kMostNames = 1000;  ///< Names of killed programs may still be in use.
constexpr int kMostKillRounds = 1000;
constexpr int kEndPatienceMilliseconds = 100;  ///< For one process that was killed.

bool write_value(const fs::path& path, const std::string& value) {
  std::ofstream file(path);
  file << value;
  return static_cast<bool>(file.flush());
}

/// Whether `word` is among a file's words.
bool has_word(const fs::path& path, std::string_view word) {
  std::ifstream file(path);
  for (std::string each; file >> each;) {
    if (each == word) return true;
  }
  return false;
}

/// The folder in which version 2 lets this process make a cgroup with a memory controller; empty:
/// none. The root that a container sees as "/" has no siblings: its parent is the mount itself.
fs::path version2_parent(const fs::path& root, const std::string& path) {
  const fs::path own = root / fs::path(path).relative_path();
  if (has_word(own / "cgroup.subtree_control", "memory")) return own;
  if (!has_word(own / "memory.max", "max")) return {};
  const fs::path parent = own.parent_path();
  return has_word(parent / "cgroup.subtree_control", "memory") ? parent : fs::path();
}

/// Makes a new folder in `parent`; empty if it cannot.
fs::path make_cgroup_folder(const fs::path& parent) {
  static int next_number = 0;
  const std::string stem = "runahead-" + std::to_string(::getpid()) + "-";
  for (int attempt = 0; attempt < kMostNames; ++attempt) {
    fs::path folder = parent / (stem + std::to_string(next_number++));
    if (::mkdir(folder.c_str(), 0755) == 0) return folder;
    if (errno != EEXIST) break;
  }
  return {};
}

/// Waits, because a cgroup can be removed only once its killed processes have ended.
void await_end(pid_t process) {
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (handle < 0) return;  // It has ended, or the kernel has no pidfd_open (before 5.3).
  pollfd end{.fd = handle, .events = POLLIN, .revents = 0};
  ::poll(&end, 1, kEndPatienceMilliseconds);
  ::close(handle);
}

}  // namespace

std::unique_ptr<CellCgroup> CellCgroup::make(std::uint64_t limit_bytes, const fs::path& proc_cgroup,
                                             const fs::path& mount) {
  static constexpr FileNames kVersion1{"memory.limit_in_bytes", "memory.max_usage_in_bytes",
                                       "memory.oom_control"};
  static constexpr FileNames kVersion2{"memory.max", "memory.peak", "memory.events"};

  fs::path parent;
  const FileNames* names = &kVersion1;
  if (const auto path = memory::find_cgroup_path(proc_cgroup, "memory")) {
    parent = mount / "memory" / fs::path(*path).relative_path();
  } else if (const auto unified = memory::find_cgroup_path(proc_cgroup, "")) {
    parent = version2_parent(mount, *unified);
    names = &kVersion2;
  }
  fs::path folder = parent.empty() ? fs::path() : make_cgroup_folder(parent);
  if (folder.empty()) return nullptr;
  std::unique_ptr<CellCgroup> cgroup(new CellCgroup(std::move(folder), *names, limit_bytes));
  return cgroup->set_limit() ? std::move(cgroup) : nullptr;
}

CellCgroup::CellCgroup(fs::path folder, const FileNames& names, std::uint64_t limit_bytes)
    : folder_(std::move(folder)), names_(names), limit_bytes_(limit_bytes) {}

CellCgroup::~CellCgroup() { ::rmdir(folder_.c_str()); }

bool CellCgroup::set_limit() const {
  const std::string limit = std::to_string(limit_bytes_);
  if (!write_value(folder_ / names_.limit, limit)) return false;
  // Swap limits and group kills are not available everywhere; the watch on RSS remains in any case.
  write_value(folder_ / "memory.memsw.limit_in_bytes", limit);
  write_value(folder_ / "memory.swap.max", "0");
  write_value(folder_ / "memory.oom.group", "1");
  return true;
}

bool CellCgroup::join() const {
  const int file = ::open((folder_ / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool has_joined = ::write(file, "0", 1) == 1;
  ::close(file);
  return has_joined;
}

void CellCgroup::kill_all() const {
  std::set<pid_t> killed;
  for (int round = 0; round < kMostKillRounds; ++round) {
    const std::size_t killed_before = killed.size();
    std::ifstream file(folder_ / "cgroup.procs");
    for (pid_t process = 0; file >> process;) {
      // 0 stands for a process outside this process's namespace.
      if (process > 0 && killed.insert(process).second) ::kill(process, SIGKILL);
    }
    if (killed.size() == killed_before) break;  // A process that was sent SIGKILL cannot fork.
  }
  for (const pid_t process : killed) await_end(process);
}

bool CellCgroup::has_killed() const {
  std::ifstream file(folder_ / names_.kills);
  std::string key;
  for (std::uint64_t count = 0; file >> key >> count;) {
    if (key == "oom_kill") return count > 0;
  }
  return false;
}

std::optional<std::uint64_t> CellCgroup::peak_bytes() const {
  std::ifstream file(folder_ / names_.peak);
  std::uint64_t bytes = 0;
  if (file >> bytes) return bytes;
  return has_killed() ? std::optional(limit_bytes_) : std::nullopt;
}

}  // namespace runahead::sweep
