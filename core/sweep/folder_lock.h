#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace runahead::sweep {

/// Reserves a folder, or a shard in it, for one process, even across machines that share it, by a
/// lock on a file in it. The kernel, or the server of a network file system, drops the lock when
/// the process ends, however it ends. The file stays and names the last holder as "host process".
class FolderLock {
 public:
  /// Does not wait. Logs a warning instead if the file system does not support such locks.
  /// @param file  The file to lock, in the folder.
  /// @param user  Who holds such a lock, as in "another sweep".
  /// @throws ConfigError naming the holder if it is locked; Error if the file cannot be opened.
  explicit FolderLock(const std::filesystem::path& folder,
                      const std::filesystem::path& file = "sweep.lock",
                      std::string_view user = "sweep");

  /// Unlocks the folder, even if a child between fork and exec still has the file open.
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

/// Whether a process holds the FolderLock of this file in a folder now; false if that cannot be
/// determined.
[[nodiscard]] bool is_locked(const std::filesystem::path& folder,
                             const std::filesystem::path& file = "sweep.lock");

/// The lock of a shard of the sweep in `folder` that a process holds now; none if no shard runs.
[[nodiscard]] std::optional<std::filesystem::path> lock_of_running_shard(
    const std::filesystem::path& folder);

/// Checks that no sweep of the whole of `folder` is running. @throws ConfigError naming it.
void require_no_running_sweep(const std::filesystem::path& folder);

/// Checks that no shard of the sweep in `folder` is running. @throws ConfigError naming one that
/// is.
void require_no_running_shard(const std::filesystem::path& folder);

}  // namespace runahead::sweep
