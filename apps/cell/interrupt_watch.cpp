#include "apps/cell/interrupt_watch.h"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <utility>

#include "core/base/error.h"
#include "core/base/interruption.h"

namespace runahead::cell {
InterruptWatch::InterruptWatch(std::chrono::milliseconds grace, std::function<void()> on_overdue)
    : grace_(grace), on_overdue_(std::move(on_overdue)) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : kInterruptions) {
    if (signal != SIGHUP || !is_ignored(signal)) sigaddset(&set, signal);
  }
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC);
  end_ = eventfd(0, EFD_CLOEXEC);
  if (signals_ < 0 || end_ < 0) throw Error("no file descriptor is left to watch signals with");
  thread_ = std::thread([this] { watch(); });
}

InterruptWatch::~InterruptWatch() {
  const std::uint64_t one = 1;
  static_cast<void>(!write(end_, &one, sizeof one));
  thread_.join();
  close(signals_);
  close(end_);
}

void InterruptWatch::watch() {
  bool signal = false;
  if (!wait(-1, signal)) return;
  interrupted_.request_stop();
  if (!wait(static_cast<int>(grace_.count()), signal)) return;
  on_overdue_();
}

bool InterruptWatch::wait(int timeout_milliseconds, bool& signal) const {
  std::array<pollfd, 2> descriptors{{{.fd = signals_, .events = POLLIN, .revents = 0},
                                     {.fd = end_, .events = POLLIN, .revents = 0}}};
  while (poll(descriptors.data(), descriptors.size(), timeout_milliseconds) < 0) {
  }
  signal = descriptors[0].revents != 0;
  signalfd_siginfo info{};
  if (signal && read(signals_, &info, sizeof info) == sizeof info) {
    note_interruption(static_cast<int>(info.ssi_signo));
  }
  return descriptors[1].revents == 0;
}

}  // namespace runahead::cell
