#pragma once

#include <filesystem>

namespace runahead::sweep {

/// Reserves a folder for one process, even across machines that share it, by a lock on its file
/// `sweep.lock`. The kernel, or the server of a network file system, drops the lock when the
/// process ends, however it ends. The file stays and names the last holder as "host process".
class FolderLock {
 public:
  /// Does not wait. Logs a warning instead if the file system does not support such locks.
  /// @throws ConfigError naming the holder if it is locked; Error if the file cannot be opened.
  explicit FolderLock(const std::filesystem::path& folder);

  /// Unlocks the folder, even if a child between fork and exec still has the file open.
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

/// Whether a process holds the FolderLock of a folder now; false if that cannot be determined.
[[nodiscard]] bool is_locked(const std::filesystem::path& folder) noexcept;

}  // namespace runahead::sweep
