#pragma once

#include <sys/types.h>

#include <vector>

#include "core/memory/probe.h"

namespace runahead::memory {

/// The most processes of one tree that are looked at.
inline constexpr std::size_t kMaxProcesses = 4096;

/// A process and all its descendants, parents first; the process alone where the kernel does not
/// list children, or it is gone. A descendant whose parent has ended no longer belongs to the tree.
/// Costs some 10 µs a thread of each.
[[nodiscard]] std::vector<pid_t> tree_processes(pid_t process_id);

/// Resident set size of a process and all its descendants, bytes: the sum of their own, so pages
/// that they share count more than once.
/// @return nullopt if the process is gone, or /proc is not mounted.
[[nodiscard]] Reading tree_rss_bytes(pid_t process_id);

}  // namespace runahead::memory
