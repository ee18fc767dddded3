#pragma once

#include <signal.h>
#include <sys/types.h>

namespace runahead::sweep {

/// Has a subreaper kill every process below it. What is sent to its whole process group
/// (SIGTERM) it leaves to the others.
inline constexpr int kKillAllSignal = SIGUSR1;

/// To be called in a child between fork and exec, in a process with one thread. Forks again: the
/// new process returns and goes on to exec; the calling one stays behind as its subreaper and never
/// returns. Both are in a process group that the subreaper leads. It has no file open, and
///
/// - adopts every descendant whose own parent has ended, also one that left the group;
/// - kills all descendants on kKillAllSignal, when `parent` ends (also by SIGKILL), and when the
///   process that was exec'd has ended;
/// - then ends as that one did: with its exit code or by its signal.
///
/// A subreaper that is killed takes the process that it guards along.
/// @param parent  The process that forked the caller.
/// @param cgroup_folder  Of what is guarded; if `parent` has ended, removed in the end. May be
/// null.
/// @return 0 in the new process; an errno if there could be none, then without a subreaper.
[[nodiscard]] int split_off_subreaper(pid_t parent, const char* cgroup_folder = nullptr);

}  // namespace runahead::sweep
