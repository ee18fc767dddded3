#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

namespace runahead::sweep {

/// A cgroup, version 1 or 2, with a memory limit for one cell. Beyond the limit the kernel kills.
/// Page cache that cannot be dropped counts towards it, and swap is not allowed. Not thread-safe.
class CellCgroup {
 public:
  /// Makes a cgroup below this process's own. In version 2 a cgroup that has processes cannot have
  /// children. The new one is then made next to this process's own, and only if that has no limit
  /// that this would evade.
  /// @param proc_cgroup  The list of the process's cgroups.
  /// @param mount        Where the cgroup file systems are mounted.
  /// @return null if this process may not make one, or there is no memory controller.
  [[nodiscard]] static std::unique_ptr<CellCgroup> make(
      std::uint64_t limit_bytes, const std::filesystem::path& proc_cgroup = "/proc/self/cgroup",
      const std::filesystem::path& mount = "/sys/fs/cgroup");

  /// Removes the cgroup, unless a process is still in it.
  ~CellCgroup();
  CellCgroup(const CellCgroup&) = delete;
  CellCgroup& operator=(const CellCgroup&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// Moves the calling process into the cgroup, and so everything it will start. For a child
  /// between fork and exec. @return whether the move succeeded.
  [[nodiscard]] bool join() const;

  /// Whether the kernel has killed one of its processes for exceeding the limit.
  [[nodiscard]] bool has_killed() const;

  /// Kills every process in the cgroup, including those that left their process group and parent,
  /// and waits up to 0.1 s for each to end.
  void kill_all() const;

  /// The most memory that was charged to the cgroup. If the kernel does not keep that figure
  /// (before 5.19 in version 2), the limit if the kernel has killed, since it was then reached;
  /// else nullopt.
  [[nodiscard]] std::optional<std::uint64_t> peak_bytes() const;

 private:
  struct FileNames;
  CellCgroup(std::filesystem::path folder, const FileNames& names, std::uint64_t limit_bytes);
  [[nodiscard]] bool set_limit() const;

  std::filesystem::path folder_;
  const FileNames& names_;
  std::uint64_t limit_bytes_;
};

}  // namespace runahead::sweep
