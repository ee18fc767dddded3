#pragma once

namespace runahead {

/// Takes an exclusive lock on an open file, against everyone else who opened it, without waiting.
/// The lock belongs to the open file description: unlike a per-process lock, it is not lost when
/// the process closes another descriptor of the file. On NFS the server holds it, unless the mount
/// uses local locks. The kernel drops it when the last process that has the open file ends.
/// @param file  A descriptor, open for writing.
/// @return 0, or an errno: EAGAIN or EACCES if the file is locked, others if it cannot be locked.
[[nodiscard]] int try_lock_file(int file) noexcept;

/// Drops that lock, even if a child between fork and exec still has the file.
void unlock_file(int file) noexcept;

}  // namespace runahead
