#pragma once

#include <filesystem>

namespace runahead::sweep {

/// Reserves a folder for one process, even across machines that share it, by a lock on the file
/// `sweep.lock` in it. The kernel, or the server of a network file system, drops the lock when the
/// process ends, in whatever way. The file stays; it names who locked it last, as "host process".
class FolderLock {
 public:
  /// Does not wait. Where the file system knows no such locks there is a warning instead.
  /// @throws ConfigError naming who has locked it; Error if the file cannot be opened.
  explicit FolderLock(const std::filesystem::path& folder);

  /// Unlocks it, also where a child between fork and exec still has the file.
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_ = -1;
};

/// Whether a process has the FolderLock of a folder now; false where that cannot be seen.
[[nodiscard]] bool is_locked(const std::filesystem::path& folder) noexcept;

}  // namespace runahead::sweep
