#pragma once

namespace runahead {

/// Locks an open file for writing, against every other that opened it, without waiting. The lock is
/// of the open file: unlike a process's own lock it is not lost when the process closes another
/// descriptor of the file, and on an NFS the server keeps it, unless that is mounted with local
/// locks. The kernel drops it when the last process that has the open file ends.
/// @param file  A descriptor, open for writing.
/// @return 0, or an errno: EAGAIN or EACCES if the file is locked, others where it cannot be.
[[nodiscard]] int try_lock_file(int file) noexcept;

/// Drops that lock, also where a child between fork and exec still has the file.
void unlock_file(int file) noexcept;

}  // namespace runahead
