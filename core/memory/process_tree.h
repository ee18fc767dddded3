#pragma once

#include <sys/types.h>

#include "core/memory/probe.h"

namespace runahead::memory {

/// Resident set size of a process and all its descendants, bytes: the sum of their own, so pages
/// that they share count more than once. Costs some 10 µs a thread of each. At most 4,096 processes
/// are looked at. A descendant whose parent has ended no longer belongs to the tree; where the
/// kernel does not list children, the process stands alone.
/// @return nullopt if the process is gone, or /proc is not mounted.
[[nodiscard]] Reading tree_rss_bytes(pid_t process_id);

}  // namespace runahead::memory
