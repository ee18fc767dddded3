#include "apps/runahead/interruption.h"

#include <unistd.h>

#include "core/base/interruption.h"

namespace runahead::apps {

namespace {

void exit_interrupted(int signal) {
  note_interruption(signal);
  ::_exit(interrupted_exit_code());
}

}  // namespace

void exit_on_interruption() {
  for (const int signal : kInterruptions) {
    if (is_ignored(signal)) continue;
    struct sigaction action {};
    action.sa_handler = exit_interrupted;
    ::sigaction(signal, &action, nullptr);
  }
}

void keep_interruption_for_next_program() {
  sigset_t signals;
  ::sigemptyset(&signals);
  for (const int signal : kInterruptions) ::sigaddset(&signals, signal);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
}

}  // namespace runahead::apps
