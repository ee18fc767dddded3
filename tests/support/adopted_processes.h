#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <chrono>
#include <stdexcept>

namespace runahead::test {

/// While it lives, descendants whose parent has ended become children of this process, which can
/// then see when the last one is gone.
class AdoptedProcesses {
 public:
  AdoptedProcesses() {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    sigemptyset(&child_);
    sigaddset(&child_, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child_, &before_);
  }
  ~AdoptedProcesses() {
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
    ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  }
  AdoptedProcesses(const AdoptedProcesses&) = delete;
  AdoptedProcesses& operator=(const AdoptedProcesses&) = delete;

  /// Blocks until this process has no child. @throws std::runtime_error if one stays.
  void wait_until_none_is_left() const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    for (pid_t ended = 0; (ended = ::waitpid(-1, nullptr, WNOHANG)) >= 0;) {
      if (ended > 0) continue;
      if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("one is left");
      // A signal that came before this call ends it at once; a short wait bounds what is missed.
      const timespec at_most{.tv_sec = 0, .tv_nsec = 100'000'000};
      ::sigtimedwait(&child_, nullptr, &at_most);
    }
  }

 private:
  sigset_t child_{};
  sigset_t before_{};
};

}  // namespace runahead::test
