#include "core/sweep/subreaper.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace runahead::sweep {

namespace {

/// Sent by the kernel when the thread that forked the subreaper has ended.
constexpr int kOrphanedSignal = SIGUSR2;

/// Otherwise the pipes of the guarded processes would never reach end-of-file.
void close_every_file() {
  if (::close_range(0, ~0U, 0) == 0) return;
  const int most = static_cast<int>(::sysconf(_SC_OPEN_MAX));  // Before Linux 5.9: no close_range.
  for (int file = 0; file < most; ++file) ::close(file);
}

/// @return how many children of this process were sent SIGKILL; -1 if the kernel lists none.
int kill_children() {
  const int list = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return -1;
  int killed = 0;
  pid_t child = 0;
  char text[512];
  for (ssize_t bytes = 0; (bytes = ::read(list, text, sizeof text)) > 0;) {
    for (ssize_t index = 0; index < bytes; ++index) {
      if (text[index] >= '0' && text[index] <= '9') {
        child = 10 * child + (text[index] - '0');
      } else {  // A space follows each.
        if (child > 0 && ::kill(child, SIGKILL) == 0) ++killed;
        child = 0;
      }
    }
  }
  ::close(list);
  return killed;
}

/// Reaps children that have ended. @return whether `child` was among them.
bool reap(pid_t child, int& child_status) {
  bool is_child = false;
  int status = 0;
  for (pid_t process = 0; (process = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    if (process != child) continue;
    is_child = true;
    child_status = status;
  }
  return is_child;
}

/// Ends this process as the one that it guarded ended.
[[noreturn]] void end_as(int status) {
  if (WIFEXITED(status)) ::_exit(WEXITSTATUS(status));
  const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(WTERMSIG(status), SIG_DFL);
  ::kill(::getpid(), WTERMSIG(status));
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::_exit(128 + WTERMSIG(status));
}

/// How a subreaper's work ended.
struct GuardEnd {
  int status = 0;            ///< The child's, from waitpid.
  bool is_orphaned = false;  ///< Whether the kernel reported the parent's end.
};

/// Returns when neither `child` nor any descendant is left. Signals are blocked, so they arrive one
/// after another and none is lost.
GuardEnd guard(pid_t child) {
  sigset_t heard;
  sigemptyset(&heard);
  sigaddset(&heard, SIGCHLD);
  sigaddset(&heard, kKillAllSignal);
  sigaddset(&heard, kOrphanedSignal);
  GuardEnd end;
  for (bool has_ended = false; !has_ended;) {
    const int signal = ::sigwaitinfo(&heard, nullptr);
    if (signal == kOrphanedSignal) end.is_orphaned = true;
    const bool is_asked_to_kill = signal == kKillAllSignal || signal == kOrphanedSignal;
    // If the kernel lists no children, only the group can be killed.
    if (is_asked_to_kill && kill_children() < 0) ::kill(0, SIGKILL);
    has_ended = reap(child, end.status);
  }
  // The children of each one that ends become this process's, so in the end none is left.
  while (kill_children() > 0) ::waitpid(-1, nullptr, 0);
  return end;
}

}  // namespace

int split_off_subreaper(pid_t parent, const char* cgroup_folder) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, &before);
  ::signal(SIGCHLD, SIG_DFL);
  ::setsid();
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::prctl(PR_SET_PDEATHSIG, kOrphanedSignal);
  // The parent may have died before the line above took effect.
  if (::getppid() != parent) ::_exit(1);

  const pid_t subreaper = ::getpid();
  const pid_t child = ::fork();
  const int error = errno;
  if (child > 0) {
    ::prctl(PR_SET_NAME, "cell-subreaper");  // As `ps` and `top` show it.
    close_every_file();
    const GuardEnd end = guard(child);
    const bool is_orphaned = end.is_orphaned || ::getppid() != parent;
    if (cgroup_folder != nullptr && is_orphaned) ::rmdir(cgroup_folder);
    end_as(end.status);
  }
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != subreaper) ::_exit(1);
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  return child == 0 ? 0 : error;
}

}  // namespace runahead::sweep
