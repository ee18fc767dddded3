#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/memory/probe.h"

namespace runahead::memory {

/// A process's path in the hierarchy of `controller` ("" is version 2's), from the list of its
/// cgroups (/proc/PID/cgroup); nullopt if it is in none.
[[nodiscard]] std::optional<std::string> find_cgroup_path(const std::filesystem::path& proc_cgroup,
                                                          std::string_view controller);

/// The memory controller of a process's cgroup and its ancestors, version 1 or 2 (or both at
/// once, the hybrid layout). Everything is nullopt if there is none. Thread-safe.
class CgroupMemory {
 public:
  /// Looks the process's cgroup up once. A path that is not visible below the mount is this
  /// process's in a container, which shows only its end. Another process then has no cgroup here.
  /// @param proc_cgroup  The list of the process's cgroups.
  /// @param mount        Where the cgroup file systems are mounted.
  /// @param machine_pressure  Pressure stall of the whole machine.
  /// @param own_cgroup   The list of this process's cgroups.
  explicit CgroupMemory(const std::filesystem::path& proc_cgroup = "/proc/self/cgroup",
                        const std::filesystem::path& mount = "/sys/fs/cgroup",
                        std::filesystem::path machine_pressure = "/proc/pressure/memory",
                        const std::filesystem::path& own_cgroup = "/proc/self/cgroup");

  /// Memory charged to the cgroup, including page cache.
  [[nodiscard]] Reading current_bytes() const;

  /// The tightest limit of the cgroup and its ancestors: hard ones, and memory.high, above which
  /// the kernel slows processes down; nullopt: none.
  [[nodiscard]] Reading limit_bytes() const;

  /// The most memory ever charged to it; nullopt if the kernel does not record it.
  [[nodiscard]] Reading peak_bytes() const;

  /// Microseconds, since the cgroup was created, during which some task in it waited for memory to
  /// be reclaimed (pressure stall, "some"); of the whole machine if cgroups do not report it.
  [[nodiscard]] Reading stall_microseconds() const;

  /// Memory that may still be charged before a limit is reached, counting file pages that the
  /// kernel can drop (inactive_file) as free: the least over the cgroup and its ancestors; nullopt:
  /// no limit.
  [[nodiscard]] Reading available_bytes() const;

 private:
  struct FileNames;
  void find_levels(const std::filesystem::path& root, const std::string& path, bool is_own);
  [[nodiscard]] Reading limit_of(const std::filesystem::path& level) const;
  [[nodiscard]] Reading available_of(const std::filesystem::path& level) const;
  [[nodiscard]] Reading least(Reading (CgroupMemory::*of)(const std::filesystem::path&)
                                  const) const;

  const FileNames* names_;
  std::filesystem::path machine_pressure_;
  std::vector<std::filesystem::path> levels_{};  ///< The process's own first; empty: none found.
};

/// CgroupMemory's readings of a process's cgroup, by default this one's. Columns `cgroup_bytes`
/// (charged now), `cgroup_peak_bytes`, `cgroup_limit_bytes`, `memory_stall_microseconds`. Opens
/// files: use it in a SlowLane.
[[nodiscard]] std::unique_ptr<Probe> make_cgroup_probe(std::optional<pid_t> process_id = {});

/// Memory that this process may still allocate without swapping or being killed: the lesser of the
/// machine's MemAvailable and what its cgroups' limits leave. nullopt if neither is known.
[[nodiscard]] Reading available_memory_bytes(const std::filesystem::path& meminfo = "/proc/meminfo",
                                             const CgroupMemory& cgroup = CgroupMemory());

}  // namespace runahead::memory
