#include "core/base/interruption.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace runahead {
namespace {

constexpr int kSignalled = 128;

/// Global, as signals are.
std::atomic<int> noted_signal{0};
static_assert(std::atomic<int>::is_always_lock_free, "signal handlers store it");

}  // namespace

std::string signal_text(int signal) {
  const char* name = ::sigabbrev_np(signal);
  std::string text = "signal " + std::to_string(signal);
  return name == nullptr ? text : text + " (SIG" + name + ")";
}

bool is_interruption(int signal) noexcept {
  return std::ranges::find(kInterruptions, signal) != kInterruptions.end();
}

bool is_from_outside(int signal) noexcept { return signal == SIGKILL || is_interruption(signal); }

bool is_ignored(int signal) noexcept {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

void note_interruption(int signal) noexcept {
  int none = 0;
  noted_signal.compare_exchange_strong(none, signal);
}

int interrupted_exit_code() noexcept {
  const int signal = noted_signal.load();
  return kSignalled + (signal == 0 ? SIGINT : signal);
}

bool is_interrupted_exit_code(int code) noexcept { return is_interruption(code - kSignalled); }

}  // namespace runahead
