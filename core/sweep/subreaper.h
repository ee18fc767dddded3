#pragma once

#include <signal.h>
#include <sys/types.h>

namespace runahead::sweep {

/// Makes a subreaper kill every process below it. A signal to its whole process group (SIGTERM)
/// does not affect the subreaper itself.
inline constexpr int kKillAllSignal = SIGUSR1;

/// Call it in a child between fork and exec, in a process with one thread. Forks again: the new
/// process returns and goes on to exec; the calling one stays behind as its subreaper and never
/// returns. Both are in a session, and process group, that the subreaper leads, and which has no
/// terminal: opening one (/dev/tty) fails, where in a background group it would stop the process.
/// The subreaper
///
/// - has no open files;
/// - adopts every descendant whose own parent has ended, even one that left the group;
/// - kills all descendants on kKillAllSignal, when `parent` ends (also by SIGKILL), and when the
///   process that was exec'd has ended;
/// - then ends as that process did: with its exit code or by its signal.
///
/// If a subreaper is killed, the process that it guards is killed too.
/// @param parent  The process that forked the caller.
/// @param cgroup_folder  The cgroup of the guarded processes, removed at the end if `parent` has
///                       ended. May be null.
/// @return 0 in the new process; an errno if the fork failed, and there is then no subreaper.
[[nodiscard]] int split_off_subreaper(pid_t parent, const char* cgroup_folder = nullptr);

}  // namespace runahead::sweep
