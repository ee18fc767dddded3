#pragma once

#include <span>
#include <vector>

namespace runahead {

/// CPUs the calling thread may run on, ascending; never empty. New threads inherit them, so call
/// this before pinning to know which CPUs the process was given.
/// @throws Error if the system does not report them.
[[nodiscard]] std::vector<int> allowed_cpus();

/// Restricts the calling thread to those of `cpus` that exist and are allowed.
/// @throws UnavailableError naming `cpus` if none of them is available; UsageError if one is
/// negative.
void restrict_calling_thread(std::span<const int> cpus);

/// restrict_calling_thread to one CPU.
void pin_calling_thread(int cpu);

}  // namespace runahead
