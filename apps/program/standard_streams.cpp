#include "apps/program/standard_streams.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <string>

#include "core/base/log.h"

namespace runahead::apps {

namespace {

constexpr int kSignalled = 128;  ///< Shells add the signal's number to it.

/// Why stdout cannot be written to, after a write failed with `problem`; 0: the reason is lost.
std::string stdout_problem(int problem) {
  const bool is_closed = (::fcntl(STDOUT_FILENO, F_GETFL) & O_ACCMODE) == O_RDONLY;
  if (problem == 0 && is_closed) problem = EBADF;
  return problem == 0 ? "is its disk full?" : std::strerror(problem);
}

/// Whether stdout is a pipe that is no longer read, as after `| head`.
bool has_lost_its_reader() {
  pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

}  // namespace

void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest free number is this stream's.
    static_cast<void>(::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_RDWR));
  }
}

ExitCode with_stdout_checked(ExitCode code) {
  errno = 0;
  std::cout.flush();
  if (std::cout) return code;
  if (has_lost_its_reader()) {
    return code == ExitCode::kOk ? static_cast<ExitCode>(kSignalled + SIGPIPE) : code;
  }
  log_error("cannot write to stdout: " + stdout_problem(errno));
  return code == ExitCode::kOk ? ExitCode::kFailed : code;
}

}  // namespace runahead::apps
