#pragma once

#include <filesystem>

#include "core/memory/cgroup.h"
#include "core/memory/probe.h"

namespace runahead::memory {

/// Memory that this process may still allocate without swapping or being killed: the lesser of the
/// machine's MemAvailable and what its cgroups' limits leave. nullopt if neither is known.
[[nodiscard]] Reading available_memory_bytes(const std::filesystem::path& meminfo = "/proc/meminfo",
                                             const CgroupMemory& cgroup = CgroupMemory());

}  // namespace runahead::memory
