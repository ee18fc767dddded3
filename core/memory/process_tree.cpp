#include "core/memory/process_tree.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace runahead::memory {
namespace {

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

std::vector<pid_t> tree_processes(pid_t process_id) {
  std::vector<pid_t> processes{process_id};
  for (std::size_t index = 0; index < processes.size(); ++index) {
    append_children(processes[index], processes);
  }
  return processes;
}

}  // namespace runahead::memory
