#include "core/memory/process_tree.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "core/memory/process_probe.h"

namespace runahead::memory {
namespace {

constexpr std::size_t kMaxProcesses = 4096;

/// Appends the children of every thread of a process.
void append_children(pid_t process_id, std::vector<pid_t>& processes) {
  std::error_code error;
  const std::string tasks = "/proc/" + std::to_string(process_id) + "/task";
  for (std::filesystem::directory_iterator task(tasks, error), end; !error && task != end;
       task.increment(error)) {
    std::ifstream children(task->path() / "children");
    for (pid_t child = 0; processes.size() < kMaxProcesses && children >> child;) {
      processes.push_back(child);
    }
  }
}

}  // namespace

Reading tree_rss_bytes(pid_t process_id) {
  const Reading root = ProcessProbe(process_id).rss_bytes();
  if (!root) return std::nullopt;
  std::uint64_t sum = *root;
  std::vector<pid_t> processes{process_id};
  append_children(process_id, processes);
  for (std::size_t index = 1; index < processes.size(); ++index) {
    // One that has just ended has no memory any more.
    sum += ProcessProbe(processes[index]).rss_bytes().value_or(0);
    append_children(processes[index], processes);
  }
  return sum;
}

}  // namespace runahead::memory
