#include "apps/runahead/interruption.h"

#include <signal.h>
#include <unistd.h>

#include <array>

#include "core/base/error.h"

namespace runahead::apps {

namespace {

constexpr std::array<int, 3> kSignals{SIGINT, SIGTERM, SIGHUP};

void exit_interrupted(int) { ::_exit(static_cast<int>(ExitCode::kInterrupted)); }

bool is_ignored(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

}  // namespace

void exit_on_interruption() {
  for (const int signal : kSignals) {
    if (is_ignored(signal)) continue;
    struct sigaction action {};
    action.sa_handler = exit_interrupted;
    ::sigaction(signal, &action, nullptr);
  }
}

void keep_interruption_for_next_program() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : kSignals) ::sigaddset(&signals, signal);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace runahead::apps
