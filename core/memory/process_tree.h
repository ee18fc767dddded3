#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

namespace runahead::memory {

/// The most processes of one tree that are looked at.
inline constexpr std::size_t kMaxProcesses = 4096;

/// A process and all its descendants, parents first; the process alone where the kernel does not
/// list children, or it is gone. A descendant whose parent has ended no longer belongs to the tree.
/// Costs some 10 µs a thread of each.
[[nodiscard]] std::vector<pid_t> tree_processes(pid_t process_id);

}  // namespace runahead::memory
